(() => {
  // node_modules/preact/src/constants.js
  var MODE_HYDRATE = 1 << 5;
  var MODE_SUSPENDED = 1 << 7;
  var INSERT_VNODE = 1 << 2;
  var MATCHED = 1 << 1;
  var REF_DETACHED = 1 << 3;
  var COMPONENT_PROCESSING_EXCEPTION = 1 << 0;
  var COMPONENT_PENDING_ERROR = 1 << 1;
  var COMPONENT_FORCE = 1 << 2;
  var COMPONENT_DIRTY = 1 << 3;
  var RESET_MODE = ~(MODE_HYDRATE | MODE_SUSPENDED);
  var SVG_NAMESPACE = "http://www.w3.org/2000/svg";
  var XHTML_NAMESPACE = "http://www.w3.org/1999/xhtml";
  var MATH_NAMESPACE = "http://www.w3.org/1998/Math/MathML";
  var NULL = null;
  var UNDEFINED = void 0;
  var VNODE_MARKER = /* @__PURE__ */ Symbol.for("pv");
  var EMPTY_OBJ = (
    /** @type {any} */
    {}
  );
  var EMPTY_ARR = [];
  var MATHML_TOKEN_ELEMENTS = /^m(i|n|o|s|text|space)$/;
  var LIS_CANDIDATE = 1 << 4;

  // node_modules/preact/src/util.js
  var isArray = Array.isArray;
  var slice = EMPTY_ARR.slice;
  var assign = Object.assign;
  function removeNode(node) {
    if (node && node.parentNode) node.remove();
  }

  // node_modules/preact/src/diff/catch-error.js
  function _catchError(error, vnode, oldVNode, errorInfo) {
    let component, ctor, handled2;
    for (; vnode = vnode._parent; ) {
      if ((component = vnode._component) && !(component._bits & COMPONENT_PROCESSING_EXCEPTION)) {
        component._bits |= COMPONENT_FORCE;
        try {
          ctor = component.constructor;
          if (handled2 = ctor && ctor.getDerivedStateFromError) {
            component.setState(ctor.getDerivedStateFromError(error));
          }
          if (component.componentDidCatch) {
            component.componentDidCatch(error, errorInfo || {});
            handled2 = 1;
          }
          if (handled2 && component._bits & COMPONENT_DIRTY) {
            component._bits |= COMPONENT_PENDING_ERROR;
            return;
          }
        } catch (e) {
          error = e;
        }
      }
    }
    resetRenderCount();
    throw error;
  }

  // node_modules/preact/src/options.js
  var options = {
    _catchError
  };
  var options_default = options;

  // node_modules/preact/src/create-element.js
  var vnodeId = 0;
  function createElement(type, props, children) {
    let normalizedProps = {}, key, ref, i, length = arguments.length;
    for (i in props) {
      if (i == "key") key = props[i];
      else if (i == "ref" && typeof type != "function") ref = props[i];
      else normalizedProps[i] = props[i];
    }
    if (length > 2) {
      normalizedProps.children = length > 3 ? slice.call(arguments, 2) : children;
    }
    return createVNode(type, normalizedProps, key, ref, NULL);
  }
  function createVNode(type, props, key, ref, original) {
    const vnode = {
      type,
      props,
      key,
      ref,
      _children: NULL,
      _parent: NULL,
      _depth: 0,
      _dom: NULL,
      _component: NULL,
      constructor: VNODE_MARKER,
      _original: original || ++vnodeId,
      _index: -1,
      _flags: 0
    };
    if (!original && options_default.vnode) options_default.vnode(vnode);
    return vnode;
  }
  function Fragment(props) {
    return props.children;
  }

  // node_modules/preact/src/component.js
  function BaseComponent(props, context) {
    this.props = props;
    this.context = context;
    this._bits = 0;
  }
  BaseComponent.prototype.setState = function(update, callback) {
    let s = this._nextState;
    if (!s || s == this.state) {
      s = this._nextState = assign({}, this.state);
    }
    if (typeof update == "function") {
      update = update(assign({}, s), this.props);
    }
    if (update) {
      assign(s, update);
    } else {
      return;
    }
    if (this._vnode) {
      if (callback) {
        this._stateCallbacks.push(callback);
      }
      enqueueRender(this);
    }
  };
  BaseComponent.prototype.forceUpdate = function(callback) {
    if (this._vnode) {
      this._bits |= COMPONENT_FORCE;
      if (callback) this._renderCallbacks.push(callback);
      enqueueRender(this);
    }
  };
  BaseComponent.prototype.render = Fragment;
  function getDomSibling(vnode, childIndex) {
    if (childIndex == NULL) {
      return vnode._parent && getDomSibling(vnode._parent, vnode._index + 1);
    }
    let sibling;
    for (; childIndex < vnode._children.length; childIndex++) {
      sibling = vnode._children[childIndex];
      if (sibling && sibling._dom) {
        return sibling._dom;
      }
    }
    return typeof vnode.type == "function" && !vnode.props._parentDom ? getDomSibling(vnode) : NULL;
  }
  function renderComponent(component) {
    const oldVNode = component._vnode, oldDom = oldVNode._dom, commitQueue = [], refQueue = [];
    const parentDom = component._parentDom;
    if (parentDom) {
      const newVNode = assign({ constructor: VNODE_MARKER }, oldVNode);
      newVNode._original = oldVNode._original + 1;
      if (options_default.vnode) options_default.vnode(newVNode);
      diff(
        parentDom,
        newVNode,
        oldVNode,
        component._globalContext,
        parentDom.namespaceURI,
        oldVNode._flags & MODE_HYDRATE ? [oldDom] : NULL,
        commitQueue,
        oldDom || getDomSibling(oldVNode),
        oldVNode._flags & MODE_HYDRATE,
        refQueue
      );
      newVNode._original = oldVNode._original;
      newVNode._parent._children[newVNode._index] = newVNode;
      commitRoot(commitQueue, newVNode, refQueue);
      oldVNode._parent = oldVNode._dom = NULL;
      if (newVNode._dom != oldDom) {
        updateParentDomPointers(newVNode);
      }
    }
  }
  function updateParentDomPointers(vnode) {
    if ((vnode = vnode._parent) && vnode._component && !vnode.props._parentDom) {
      vnode._dom = NULL;
      vnode._children.some((child) => child && (vnode._dom = child._dom));
      return updateParentDomPointers(vnode);
    }
  }
  var rerenderQueue = [];
  var prevDebounce;
  var rerenderCount = 0;
  function resetRenderCount() {
    rerenderCount = 0;
  }
  function enqueueRender(c) {
    if (!(c._bits & COMPONENT_DIRTY) && (c._bits |= COMPONENT_DIRTY, rerenderQueue.push(c), !rerenderCount++) || prevDebounce != options_default.debounceRendering) {
      prevDebounce = options_default.debounceRendering;
      (prevDebounce || queueMicrotask)(process);
    }
  }
  var depthSort = (a, b) => a._vnode._depth - b._vnode._depth;
  function process() {
    try {
      let c, l = 1;
      while (rerenderQueue.length) {
        if (rerenderQueue.length > l) {
          rerenderQueue.sort(depthSort);
        }
        c = rerenderQueue.shift();
        l = rerenderQueue.length;
        if (c._bits & COMPONENT_DIRTY) {
          renderComponent(c);
        }
      }
    } finally {
      if (rerenderCount = rerenderQueue.length) {
        (prevDebounce || queueMicrotask)(process);
      }
    }
  }

  // node_modules/preact/src/diff/children.js
  function diffChildren(parentDom, renderResult, newParentVNode, oldParentVNode, globalContext, namespace, excessDomChildren, commitQueue, oldDom, isHydrating, refQueue) {
    let i, oldVNode, childVNode, newDom, firstChildDom;
    let oldChildren = oldParentVNode._children || EMPTY_ARR;
    let newChildrenLength = renderResult.length;
    oldDom = constructNewChildrenArray(
      newParentVNode,
      renderResult,
      oldChildren,
      oldDom,
      newChildrenLength
    );
    for (i = 0; i < newChildrenLength; i++) {
      childVNode = newParentVNode._children[i];
      if (childVNode == NULL) continue;
      oldVNode = ~childVNode._index && oldChildren[childVNode._index] || EMPTY_OBJ;
      childVNode._index = i;
      let result = diff(
        parentDom,
        childVNode,
        oldVNode,
        globalContext,
        namespace,
        excessDomChildren,
        commitQueue,
        oldDom,
        isHydrating,
        refQueue
      );
      newDom = childVNode._dom;
      if (oldVNode.ref != childVNode.ref || oldVNode._flags & REF_DETACHED) {
        if (oldVNode.ref) applyRef(oldVNode.ref, NULL, childVNode, oldVNode);
        if (childVNode.ref) {
          refQueue.push(
            childVNode.ref,
            childVNode._component || newDom,
            childVNode
          );
        }
      }
      firstChildDom = firstChildDom || newDom;
      if (childVNode._flags & INSERT_VNODE) {
        oldDom = insert(childVNode, oldDom, parentDom, !oldVNode._original);
        if (oldVNode._dom) {
          oldVNode._dom = NULL;
        }
      } else if (typeof childVNode.type == "function" && result !== UNDEFINED) {
        oldDom = result;
      } else if (newDom) {
        oldDom = newDom.nextSibling;
      }
      childVNode._flags &= ~(INSERT_VNODE | LIS_CANDIDATE);
    }
    newParentVNode._dom = firstChildDom;
    return oldDom;
  }
  function constructNewChildrenArray(newParentVNode, renderResult, oldChildren, oldDom, newChildrenLength) {
    let i;
    let childVNode;
    let oldVNode;
    let oldChildrenLength = oldChildren.length, remainingOldChildren = oldChildrenLength;
    let skew = 0;
    let moved = 0;
    let newChildren = newParentVNode._children = Array(newChildrenLength);
    for (i = 0; i < newChildrenLength; i++) {
      childVNode = renderResult[i];
      if (childVNode == NULL || typeof childVNode == "boolean" || typeof childVNode == "function") {
        newChildren[i] = NULL;
        continue;
      } else if (typeof childVNode != "object" || childVNode.constructor === String) {
        childVNode = newChildren[i] = createVNode(NULL, childVNode);
      } else if (isArray(childVNode)) {
        childVNode = newChildren[i] = createVNode(Fragment, {
          children: childVNode
        });
      } else if (childVNode.constructor === VNODE_MARKER && childVNode._depth) {
        childVNode = newChildren[i] = createVNode(
          childVNode.type,
          childVNode.props,
          childVNode.key,
          childVNode.ref,
          childVNode._original
        );
      } else {
        newChildren[i] = childVNode;
      }
      const skewedIndex = i + skew;
      childVNode._parent = newParentVNode;
      childVNode._depth = newParentVNode._depth + 1;
      const matchingIndex = childVNode._index = findMatchingIndex(
        childVNode,
        oldChildren,
        skewedIndex,
        remainingOldChildren
      );
      oldVNode = NULL;
      if (~matchingIndex) {
        oldVNode = oldChildren[matchingIndex];
        remainingOldChildren--;
        if (oldVNode) {
          oldVNode._flags |= MATCHED;
        }
      }
      if (!oldVNode || !oldVNode._original) {
        if (!~matchingIndex) {
          if (newChildrenLength > oldChildrenLength) {
            skew--;
          } else if (newChildrenLength < oldChildrenLength) {
            skew++;
          }
        }
        if (typeof childVNode.type != "function") {
          childVNode._flags |= INSERT_VNODE;
        }
      } else {
        childVNode._flags |= LIS_CANDIDATE;
        if (matchingIndex == skewedIndex - 1) {
          skew--;
        } else if (matchingIndex == skewedIndex + 1) {
          skew++;
        } else if (matchingIndex != skewedIndex) {
          if (matchingIndex > skewedIndex) {
            skew--;
          } else {
            skew++;
          }
          moved = 1;
        }
      }
    }
    if (moved) {
      let tails = [];
      let lisLengths = [];
      for (i = 0; i < newChildrenLength; i++) {
        childVNode = newChildren[i];
        if (childVNode && childVNode._flags & LIS_CANDIDATE) {
          skew = 0;
          let hi = tails.length;
          while (skew < hi) {
            const mid = skew + hi >> 1;
            if (tails[mid] < childVNode._index) {
              skew = mid + 1;
            } else {
              hi = mid;
            }
          }
          tails[skew] = childVNode._index;
          lisLengths[i] = skew + 1;
        }
      }
      skew = tails.length;
      while (i--) {
        if (lisLengths[i]) {
          if (lisLengths[i] == skew) {
            skew--;
          } else {
            newChildren[i]._flags |= INSERT_VNODE;
          }
        }
      }
    }
    if (remainingOldChildren) {
      for (i = 0; i < oldChildrenLength; i++) {
        oldVNode = oldChildren[i];
        if (oldVNode && !(oldVNode._flags & MATCHED)) {
          if (oldVNode._dom == oldDom) {
            oldDom = getDomSibling(oldVNode);
          }
          unmount(oldVNode, oldVNode);
        }
      }
    }
    return oldDom;
  }
  function insert(parentVNode, oldDom, parentDom, isMounting) {
    if (typeof parentVNode.type == "function") {
      if (parentVNode.props._parentDom) return oldDom;
      let children = parentVNode._children;
      if (children) {
        for (let i = 0; i < children.length; i++) {
          if (children[i]) {
            children[i]._parent = parentVNode;
            oldDom = insert(children[i], oldDom, parentDom, false);
          }
        }
      }
      return oldDom;
    } else {
      if (oldDom && !oldDom.parentNode) {
        oldDom = getDomSibling(parentVNode);
        if (oldDom && !oldDom.parentNode) oldDom = NULL;
      }
      let dom = parentVNode._dom;
      let next = oldDom;
      while (next && next.nodeType == 8) next = next.nextSibling;
      if (dom != next) {
        if (!isMounting && parentDom.moveBefore && dom.parentNode) {
          parentDom.moveBefore(dom, oldDom);
        } else {
          parentDom.insertBefore(dom, oldDom || NULL);
        }
      }
      oldDom = dom;
    }
    while ((oldDom = oldDom && oldDom.nextSibling) && oldDom.nodeType == 8 && !oldDom.data.startsWith("$s")) ;
    return oldDom;
  }
  function findMatchingIndex(childVNode, oldChildren, skewedIndex, remainingOldChildren) {
    const key = childVNode.key;
    const type = childVNode.type;
    let oldVNode = oldChildren[skewedIndex];
    const matched = oldVNode && !(oldVNode._flags & MATCHED);
    let shouldSearch = (
      // (typeof type != 'function' || type === Fragment || key) &&
      // The ternary keeps this a Smi comparison; `> matched` would compare
      // number to boolean which V8 can't serve from the fast path.
      remainingOldChildren > (matched ? 1 : 0)
    );
    if (oldVNode === NULL && key == NULL || matched && key == oldVNode.key && type == oldVNode.type) {
      return skewedIndex;
    } else if (shouldSearch) {
      let x;
      for (x = skewedIndex - 1; x >= 0; x--) {
        oldVNode = oldChildren[x];
        if (oldVNode && !(oldVNode._flags & MATCHED) && key == oldVNode.key && type == oldVNode.type)
          return x;
      }
      for (x = skewedIndex + 1; x < oldChildren.length; x++) {
        oldVNode = oldChildren[x];
        if (oldVNode && !(oldVNode._flags & MATCHED) && key == oldVNode.key && type == oldVNode.type)
          return x;
      }
    }
    return -1;
  }

  // node_modules/preact/src/diff/props.js
  var EVENT_DISPATCHED = /* @__PURE__ */ Symbol();
  function setStyle(style, key, value) {
    if (value == NULL) value = "";
    if (key[0] == "-") {
      style.setProperty(key, value);
    } else {
      style[key] = value;
    }
  }
  var CAPTURE_REGEX = /(PointerCapture)$|Capture$/i;
  var eventClock = 0;
  function setProperty(dom, name, value, oldValue, namespace) {
    let useCapture;
    if (name == "style") {
      if (typeof value == "string") {
        dom.style.cssText = value;
      } else {
        if (typeof oldValue == "string") {
          dom.style.cssText = oldValue = "";
        }
        if (oldValue) {
          for (name in oldValue) {
            if (!(value && name in value)) {
              setStyle(dom.style, name);
            }
          }
        }
        if (value) {
          for (name in value) {
            if (!oldValue || value[name] != oldValue[name]) {
              setStyle(dom.style, name, value[name]);
            }
          }
        }
      }
    } else if (name[0] == "o" && name[1] == "n") {
      if (typeof value != "function") value = NULL;
      if (typeof oldValue != "function") oldValue = NULL;
      (dom._listeners || (dom._listeners = {}))[name] = value;
      if (!value || !oldValue) {
        const proxy = eventProxies[name] || (eventProxies[name] = createEventProxy(name));
        (dom._attached || (dom._attached = {}))[name] = eventClock;
        useCapture = name != (name = name.replace(CAPTURE_REGEX, "$1"));
        name = name.slice(2);
        if (name[0] < "a") name = name.toLowerCase();
        if (value) {
          dom.addEventListener(name, proxy, useCapture);
        } else {
          dom.removeEventListener(name, proxy, useCapture);
        }
      }
    } else {
      if (namespace == SVG_NAMESPACE) {
        name = name.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
      } else if (name != "width" && name != "height" && name != "href" && name != "list" && name != "form" && // Default value in browsers is `-1` and an empty string is
      // cast to `0` instead
      name != "tabIndex" && name != "download" && name != "rowSpan" && name != "colSpan" && name != "role" && name != "popover" && name in dom) {
        try {
          dom[name] = value == NULL ? "" : value;
          return;
        } catch (e) {
        }
      }
      if (typeof value == "function") return;
      if (value != NULL && (value !== false || name[4] == "-")) {
        dom.setAttribute(name, name == "popover" && value == true ? "" : value);
      } else {
        dom.removeAttribute(name);
      }
    }
  }
  function createEventProxy(name) {
    return function(e) {
      let eventHandler = this._listeners;
      if (eventHandler) {
        eventHandler = eventHandler[name];
        if (e[EVENT_DISPATCHED] == NULL) {
          e[EVENT_DISPATCHED] = eventClock++;
        } else if (e[EVENT_DISPATCHED] < this._attached[name]) {
          return;
        }
        return eventHandler(options_default.event ? options_default.event(e) : e);
      }
    };
  }
  var eventProxies = {};

  // node_modules/preact/src/diff/index.js
  function diff(parentDom, newVNode, oldVNode, globalContext, namespace, excessDomChildren, commitQueue, oldDom, isHydrating, refQueue) {
    let tmp, resumed, newType = newVNode.type;
    if (newVNode.constructor !== VNODE_MARKER) return NULL;
    if (oldVNode._flags & MODE_SUSPENDED && // @ts-expect-error This is MODE_HYDRATE or 0
    (isHydrating = oldVNode._flags & MODE_HYDRATE, tmp = oldVNode._component._excess)) {
      newVNode._flags |= isHydrating;
      resumed = excessDomChildren = [];
      if (tmp.nodeType == 8) {
        oldDom = rangeEnd(tmp, excessDomChildren);
      } else {
        excessDomChildren.push(tmp);
      }
      oldDom = excessDomChildren[0] || oldDom;
    }
    if (tmp = options_default._diff) tmp(newVNode);
    outer: if (typeof newType == "function") {
      let oldCommitQueueLength = commitQueue.length;
      try {
        let c, oldProps, oldState, snapshot, newProps = newVNode.props;
        const isClassComponent = (tmp = newType.prototype) && tmp.render;
        tmp = newType.contextType;
        const provider = tmp && globalContext[tmp._id];
        const componentContext = tmp ? provider ? provider.props.value : tmp._defaultValue : globalContext;
        if (c = oldVNode._component) {
          newVNode._component = c;
          if (c._bits & COMPONENT_PENDING_ERROR) {
            c._bits |= COMPONENT_PROCESSING_EXCEPTION;
          }
        } else {
          if (isClassComponent) {
            newVNode._component = c = new newType(newProps, componentContext);
          } else {
            newVNode._component = c = new BaseComponent(
              newProps,
              componentContext
            );
            c.constructor = newType;
            c.render = doRender;
          }
          if (provider) provider.sub(c);
          if (!c.state) c.state = {};
          c._globalContext = globalContext;
          c._bits |= COMPONENT_DIRTY;
          c._renderCallbacks = [];
          c._stateCallbacks = [];
        }
        if (isClassComponent) {
          if (!c._nextState) c._nextState = c.state;
          if (newType.getDerivedStateFromProps) {
            if (c._nextState == c.state) {
              c._nextState = assign({}, c._nextState);
            }
            assign(
              c._nextState,
              newType.getDerivedStateFromProps(newProps, c._nextState)
            );
          }
        }
        oldProps = c.props;
        oldState = c.state;
        c._vnode = newVNode;
        if (!oldVNode._component) {
          if (isClassComponent && !newType.getDerivedStateFromProps && c.componentWillMount) {
            c.componentWillMount();
          }
          if (isClassComponent && c.componentDidMount) {
            c._renderCallbacks.push(c.componentDidMount);
          }
        } else {
          if (newProps !== oldProps && isClassComponent && !newType.getDerivedStateFromProps && c.componentWillReceiveProps) {
            c.componentWillReceiveProps(newProps, componentContext);
          }
          if (newVNode._original == oldVNode._original && !(c._bits & COMPONENT_DIRTY) || !(c._bits & COMPONENT_FORCE) && c.shouldComponentUpdate && c.shouldComponentUpdate(
            newProps,
            c._nextState,
            componentContext
          ) === false) {
            if (newVNode._original != oldVNode._original) {
              c.props = newProps;
              c.state = c._nextState;
              c._bits &= ~COMPONENT_DIRTY;
            }
            newVNode._dom = oldVNode._dom;
            newVNode._children = oldVNode._children;
            newVNode._children.some((vnode) => {
              if (vnode) vnode._parent = newVNode;
            });
            EMPTY_ARR.push.apply(c._renderCallbacks, c._stateCallbacks);
            c._stateCallbacks = [];
            if (c._renderCallbacks.length) {
              commitQueue.push(c);
            }
            oldDom = getDomSibling(oldVNode);
            break outer;
          }
          if (c.componentWillUpdate) {
            c.componentWillUpdate(newProps, c._nextState, componentContext);
          }
          if (isClassComponent && c.componentDidUpdate) {
            c._renderCallbacks.push(() => {
              c.componentDidUpdate(oldProps, oldState, snapshot);
            });
          }
        }
        c.context = componentContext;
        c.props = newProps;
        c._parentDom = parentDom;
        c._bits &= ~COMPONENT_FORCE;
        let renderHook = options_default._render, count2 = isClassComponent ? 25 : 0;
        do {
          c._bits &= ~COMPONENT_DIRTY;
          if (renderHook) renderHook(newVNode);
          tmp = c.render(c.props, c.state = c._nextState, c.context);
        } while (c._bits & COMPONENT_DIRTY && ++count2 < 25);
        if (isClassComponent) {
          EMPTY_ARR.push.apply(c._renderCallbacks, c._stateCallbacks);
          c._stateCallbacks = [];
        }
        c.state = c._nextState;
        if (c.getChildContext) {
          globalContext = assign({}, globalContext, c.getChildContext());
        }
        if (isClassComponent && oldVNode._component && c.getSnapshotBeforeUpdate) {
          snapshot = c.getSnapshotBeforeUpdate(oldProps, oldState);
        }
        const renderResult = tmp && tmp.type === Fragment && tmp.key == NULL ? tmp.props.children : tmp;
        if (newProps._parentDom) {
          tmp = oldDom;
          parentDom = newProps._parentDom;
          namespace = parentDom.namespaceURI;
          isHydrating = excessDomChildren = NULL;
          if (oldVNode.props && oldVNode.props._parentDom != parentDom) {
            oldVNode._children.some((child) => {
              if (child) unmount(child, child);
            });
            oldVNode._children = NULL;
          }
          oldDom = oldVNode._children ? getDomSibling(oldVNode, 0) : NULL;
        }
        oldDom = diffChildren(
          parentDom,
          isArray(renderResult) ? renderResult : [renderResult],
          newVNode,
          oldVNode,
          globalContext,
          namespace,
          excessDomChildren,
          commitQueue,
          oldDom,
          isHydrating,
          refQueue
        );
        if (newProps._parentDom) {
          newVNode._dom = NULL;
          oldDom = tmp;
        }
        newVNode._flags &= RESET_MODE;
        if (resumed) resumed.some(removeNode);
        if (c._renderCallbacks.length) {
          commitQueue.push(c);
        }
        if (c._bits & COMPONENT_PROCESSING_EXCEPTION) {
          c._bits &= ~(COMPONENT_PROCESSING_EXCEPTION | COMPONENT_PENDING_ERROR);
        }
      } catch (e) {
        commitQueue.length = oldCommitQueueLength;
        newVNode._original = NULL;
        if (isHydrating || excessDomChildren) {
          if (e && e.then) {
            let startMarker, end;
            newVNode._flags |= MODE_SUSPENDED | isHydrating;
            if (excessDomChildren) {
              let i = excessDomChildren.indexOf(oldDom || UNDEFINED), child;
              if (!~i) i = excessDomChildren.length;
              while ((child = excessDomChildren[i - 1]) && child.nodeType == 8) {
                i--;
              }
              for (; i < excessDomChildren.length; i++) {
                if (child = excessDomChildren[i]) {
                  excessDomChildren[i] = NULL;
                  if (startMarker) {
                    if (child == end) break;
                  } else if (child.nodeType != 8) {
                    break;
                  } else if (child.data.startsWith("$s")) {
                    end = rangeEnd(startMarker = child);
                  }
                }
              }
            }
            if (!startMarker) {
              while (oldDom && oldDom.nodeType == 8 && oldDom.nextSibling) {
                oldDom = oldDom.nextSibling;
              }
              startMarker = oldDom;
            }
            startMarker = newVNode._component._excess || (newVNode._component._excess = startMarker);
            if (tmp = rangeEnd(startMarker)) {
              newVNode._dom = startMarker;
              oldDom = tmp;
            } else newVNode._dom = oldDom;
            oldDom = oldDom && oldDom.nextSibling;
          } else if (excessDomChildren) {
            excessDomChildren.some(removeNode);
          }
        } else {
          newVNode._dom = oldVNode._dom;
        }
        if (!newVNode._children) {
          newVNode._children = oldVNode._children || [];
        }
        if (!(e && e.then)) markAsForce(newVNode);
        options_default._catchError(e, newVNode, oldVNode);
      }
    } else {
      oldDom = newVNode._dom = diffElementNodes(
        oldVNode._dom,
        newVNode,
        oldVNode,
        globalContext,
        namespace,
        excessDomChildren,
        commitQueue,
        isHydrating,
        refQueue,
        parentDom
      );
    }
    if (tmp = options_default.diffed) tmp(newVNode);
    return oldDom;
  }
  function rangeEnd(start2, nodes) {
    if (start2 && start2.nodeType == 8 && start2.data.startsWith("$s")) {
      for (let depth = 1; start2 = start2.nextSibling; ) {
        if (start2.nodeType == 8) {
          if (start2.data.startsWith("$s")) depth++;
          else if (start2.data.startsWith("/$s") && !--depth) return start2;
        }
        if (nodes) nodes.push(start2);
      }
    }
  }
  function markAsForce(vnode) {
    if (vnode) {
      if (vnode._component) vnode._component._bits |= COMPONENT_FORCE;
      if (vnode._children) vnode._children.some(markAsForce);
    }
  }
  function commitRoot(commitQueue, root, refQueue) {
    for (let i = 0; i < refQueue.length; ) {
      applyRef(refQueue[i++], refQueue[i++], refQueue[i++]);
    }
    if (options_default._commit) options_default._commit(root, commitQueue);
    commitQueue.some((c) => {
      try {
        commitQueue = c._renderCallbacks;
        c._renderCallbacks = [];
        commitQueue.some((cb) => {
          cb.call(c);
        });
      } catch (e) {
        options_default._catchError(e, c._vnode);
      }
    });
  }
  function diffElementNodes(dom, newVNode, oldVNode, globalContext, namespace, excessDomChildren, commitQueue, isHydrating, refQueue, parentDom) {
    let oldProps = oldVNode.props || EMPTY_OBJ;
    const newProps = newVNode.props;
    const nodeType = (
      /** @type {string} */
      newVNode.type
    );
    let i;
    let newHtml;
    let oldHtml;
    let newChildren;
    let value;
    let inputValue;
    let checked;
    if (nodeType == "svg") namespace = SVG_NAMESPACE;
    else if (nodeType == "math") namespace = MATH_NAMESPACE;
    else if (!namespace) namespace = XHTML_NAMESPACE;
    if (excessDomChildren) {
      for (i = 0; i < excessDomChildren.length; i++) {
        value = excessDomChildren[i];
        if (value && (nodeType ? value.localName == nodeType : value.nodeType == 3)) {
          dom = value;
          excessDomChildren[i] = NULL;
          break;
        }
      }
    }
    if (!dom) {
      const doc = parentDom.ownerDocument || document;
      if (!nodeType) {
        return doc.createTextNode(newProps);
      }
      dom = doc.createElementNS(
        namespace,
        nodeType,
        newProps.is ? newProps : parentDom
      );
      if (isHydrating) {
        if (options_default._hydrationMismatch)
          options_default._hydrationMismatch(newVNode, excessDomChildren);
        isHydrating = false;
      }
      excessDomChildren = NULL;
    }
    if (!nodeType) {
      if (oldProps !== newProps && (!isHydrating || dom.data != newProps)) {
        dom.data = newProps;
      }
    } else {
      parentDom = nodeType == "template" && dom.content || dom;
      excessDomChildren = nodeType == "textarea" && newProps.defaultValue != NULL ? NULL : excessDomChildren && slice.call(parentDom.childNodes);
      if (!isHydrating && excessDomChildren) {
        oldProps = {};
        for (i = 0; i < dom.attributes.length; i++) {
          value = dom.attributes[i];
          oldProps[value.name] = value.value;
        }
      }
      for (i in oldProps) {
        value = oldProps[i];
        if (i == "dangerouslySetInnerHTML") {
          oldHtml = value;
        } else if (i != "children" && !(i in newProps) && !(i == "value" && "defaultValue" in newProps) && !(i == "checked" && "defaultChecked" in newProps)) {
          setProperty(dom, i, NULL, value, namespace);
        }
      }
      for (i in newProps) {
        value = newProps[i];
        if (i == "children") {
          newChildren = value;
        } else if (i == "dangerouslySetInnerHTML") {
          newHtml = value;
        } else if (i == "value") {
          inputValue = value;
        } else if (i == "checked") {
          checked = value;
        } else if ((!isHydrating || typeof value == "function") && oldProps[i] !== value) {
          setProperty(dom, i, value, oldProps[i], namespace);
        }
      }
      if (newHtml) {
        if (!isHydrating && (!oldHtml || newHtml.__html != oldHtml.__html && newHtml.__html != dom.innerHTML)) {
          dom.innerHTML = newHtml.__html;
        }
        newVNode._children = [];
      } else {
        if (oldHtml) dom.textContent = "";
        if (nodeType == "foreignObject" || namespace == MATH_NAMESPACE && MATHML_TOKEN_ELEMENTS.test(nodeType)) {
          namespace = XHTML_NAMESPACE;
        }
        diffChildren(
          parentDom,
          isArray(newChildren) ? newChildren : [newChildren],
          newVNode,
          oldVNode,
          globalContext,
          namespace,
          excessDomChildren,
          commitQueue,
          excessDomChildren ? excessDomChildren[0] : oldVNode._children && getDomSibling(oldVNode, 0),
          isHydrating,
          refQueue
        );
        if (excessDomChildren) excessDomChildren.some(removeNode);
      }
      if (!isHydrating || nodeType == "textarea") {
        i = "value";
        if (nodeType == "progress" && inputValue == NULL) {
          dom.removeAttribute(i);
        } else if (inputValue != UNDEFINED && // #2756 For the <progress>-element the initial value is 0,
        // despite the attribute not being present. When the attribute
        // is missing the progress bar is treated as indeterminate.
        // To fix that we'll always update it when it is 0 for progress elements
        (inputValue !== dom[i] || nodeType == "progress" && !inputValue)) {
          setProperty(dom, i, inputValue, oldProps[i], namespace);
        }
        i = "checked";
        if (checked != UNDEFINED && checked != dom[i]) {
          setProperty(dom, i, checked, oldProps[i], namespace);
        }
      }
    }
    return dom;
  }
  function applyRef(ref, value, vnode, owner) {
    try {
      if (typeof ref == "function") {
        if (value) value._refCleanup = ref(value) || 1;
        else if (owner && (owner = owner._component || owner._dom) && (value = owner._refCleanup)) {
          owner._refCleanup = NULL;
          if (typeof value == "function") value();
          else ref(NULL);
        }
      } else ref.current = value;
    } catch (e) {
      options_default._catchError(e, vnode);
    }
  }
  function unmount(vnode, parentVNode, skipRemove) {
    let r, end, nodes;
    if (options_default.unmount) options_default.unmount(vnode);
    if ((r = vnode.ref) && (!r.current || r.current == vnode._dom)) {
      applyRef(r, NULL, parentVNode, vnode);
    }
    if (r = vnode._component) {
      if (r.componentWillUnmount) {
        try {
          r.componentWillUnmount();
        } catch (e) {
          options_default._catchError(e, parentVNode);
        }
      }
      r._parentDom = r._globalContext = NULL;
    }
    if (r = vnode._children) {
      for (let i = 0; i < r.length; i++) {
        if (r[i]) {
          unmount(
            r[i],
            parentVNode,
            // A portal's children live in another container, so a removed
            // host ancestor doesn't detach them; always remove them.
            typeof vnode.type == "function" ? skipRemove && !vnode.props._parentDom : true
          );
        }
      }
    }
    if (!skipRemove && (r = vnode._component) && (r = r._excess) && (end = rangeEnd(r, nodes = []))) {
      if (r == vnode._dom) nodes.some(removeNode);
      removeNode(end);
      removeNode(r);
    }
    if (!skipRemove) removeNode(vnode._dom);
    vnode._dom = vnode._component = vnode._parent = NULL;
  }
  function doRender(props, state, context) {
    return this.constructor(props, context);
  }

  // node_modules/preact/src/render.js
  function render(vnode, parentDom) {
    if (options_default._root) options_default._root(vnode, parentDom);
    if (parentDom.nodeType == 9) {
      parentDom = parentDom.documentElement;
    }
    let isHydrating = vnode && vnode._flags & MODE_HYDRATE;
    let oldVNode = isHydrating ? NULL : parentDom._children;
    parentDom._children = createVNode(Fragment, { children: [vnode] });
    let commitQueue = [], refQueue = [];
    diff(
      parentDom,
      // Determine the new vnode tree and store it on the DOM element on
      // our custom `_children` property.
      parentDom._children,
      oldVNode || EMPTY_OBJ,
      EMPTY_OBJ,
      parentDom.namespaceURI,
      oldVNode ? NULL : parentDom.firstChild ? slice.call(parentDom.childNodes) : NULL,
      commitQueue,
      oldVNode ? oldVNode._dom : parentDom.firstChild,
      // @ts-expect-error we are doing a bit-wise operation so it's either 0 or true
      isHydrating,
      refQueue
    );
    commitRoot(commitQueue, parentDom._children, refQueue);
    parentDom._children.props.children = NULL;
  }

  // node_modules/preact/hooks/src/index.js
  var ObjectIs = Object.is;
  var currentIndex;
  var currentComponent;
  var previousComponent;
  var currentHook = 0;
  var afterPaintEffects = [];
  var unmountCleanups = [];
  var options2 = (
    /** @type {import('./internal').Options} */
    options_default
  );
  var oldBeforeDiff = options2._diff;
  var oldBeforeRender = options2._render;
  var oldAfterDiff = options2.diffed;
  var oldCommit = options2._commit;
  var oldBeforeUnmount = options2.unmount;
  var oldRoot = options2._root;
  var RAF_TIMEOUT = 35;
  var prevRaf;
  options2._diff = (vnode) => {
    currentComponent = null;
    if (oldBeforeDiff) oldBeforeDiff(vnode);
  };
  options2._root = (vnode, parentDom) => {
    if (vnode && parentDom._children && parentDom._children._mask) {
      vnode._mask = parentDom._children._mask;
    }
    if (oldRoot) oldRoot(vnode, parentDom);
  };
  options2._render = (vnode) => {
    if (oldBeforeRender) oldBeforeRender(vnode);
    currentComponent = vnode._component;
    currentIndex = 0;
    const hooks = currentComponent.__hooks;
    if (hooks) {
      if (previousComponent == currentComponent) {
        currentComponent._renderCallbacks = [];
      } else {
        hooks._pendingEffects.some(invokeCleanup);
        hooks._pendingEffects.some(invokeEffect);
        currentIndex = 0;
      }
      hooks._pendingEffects = [];
      hooks._list.some((hookItem) => {
        if (hookItem._nextValue) {
          hookItem._value = hookItem._nextValue;
        }
        hookItem._pendingArgs = hookItem._nextValue = void 0;
      });
    }
    previousComponent = currentComponent;
  };
  options2.diffed = (vnode) => {
    if (oldAfterDiff) oldAfterDiff(vnode);
    const c = vnode._component;
    if (c && c.__hooks) {
      if (c.__hooks._pendingEffects.length) afterPaint(afterPaintEffects.push(c));
      c.__hooks._list.some((hookItem) => {
        if (hookItem._pendingArgs) hookItem._args = hookItem._pendingArgs;
      });
    }
    previousComponent = currentComponent = null;
  };
  options2._commit = (vnode, commitQueue) => {
    commitQueue.some((component) => {
      try {
        component._renderCallbacks.some(invokeCleanup);
        component._renderCallbacks = component._renderCallbacks.filter(
          (cb) => cb._value ? invokeEffect(cb) : true
        );
      } catch (e) {
        component._renderCallbacks = [
          () => {
            throw e;
          }
        ];
      }
    });
    if (oldCommit) oldCommit(vnode, commitQueue);
  };
  options2.unmount = (vnode) => {
    if (oldBeforeUnmount) oldBeforeUnmount(vnode);
    const c = vnode._component;
    if (c && c.__hooks) {
      let hasErrored, errorParent;
      c.__hooks._list.some((s) => {
        try {
          if (s._passive && s._cleanup) {
            if (errorParent === void 0) {
              errorParent = vnode._parent;
              while (errorParent && !(errorParent._component && errorParent._component._parentDom)) {
                errorParent = errorParent._parent;
              }
              errorParent = errorParent && errorParent._component;
            }
            s._passive = errorParent;
            afterPaint(unmountCleanups.push(s));
          } else {
            invokeCleanup(s);
          }
        } catch (e) {
          hasErrored = e;
        }
      });
      c.__hooks = void 0;
      if (hasErrored) options2._catchError(hasErrored, c._vnode);
    }
  };
  function getHookState(index, type) {
    if (options2._hook) {
      options2._hook(currentComponent, index, currentHook || type);
    }
    currentHook = 0;
    const hooks = currentComponent.__hooks || (currentComponent.__hooks = {
      _list: [],
      _pendingEffects: []
    });
    if (index >= hooks._list.length) {
      hooks._list.push({});
    }
    return hooks._list[index];
  }
  function useState(initialState) {
    currentHook = 1;
    return useReducer(invokeOrReturn, initialState);
  }
  function useReducer(reducer, initialState, init) {
    const hookState = getHookState(currentIndex++, 2);
    hookState._reducer = reducer;
    if (!hookState._component) {
      hookState._value = [
        !init ? invokeOrReturn(void 0, initialState) : init(initialState),
        (action) => {
          const currentValue = (hookState._nextValue || hookState._value)[0];
          const nextValue = hookState._reducer(currentValue, action);
          if (!ObjectIs(currentValue, nextValue)) {
            hookState._nextValue = [nextValue, hookState._value[1]];
            hookState._component.setState({});
          }
        }
      ];
      hookState._component = currentComponent;
      if (!currentComponent._hasScuFromHooks) {
        currentComponent._hasScuFromHooks = true;
        const prevScu = currentComponent.shouldComponentUpdate;
        currentComponent.shouldComponentUpdate = function(p, s, c) {
          const hooks = this.__hooks;
          if (!hooks) return true;
          let updatedHook = false;
          let shouldUpdate = this.props != p;
          hooks._list.some((hookItem) => {
            if (hookItem._nextValue) {
              updatedHook = true;
              if (!ObjectIs(hookItem._value[0], hookItem._nextValue[0])) {
                shouldUpdate = true;
              }
            }
          });
          if (prevScu) {
            const result = prevScu.call(this, p, s, c);
            return updatedHook ? result || shouldUpdate : result;
          }
          return !updatedHook || shouldUpdate;
        };
      }
    }
    return hookState._value;
  }
  function useEffect(callback, args) {
    const state = getHookState(currentIndex++, 3);
    if (!options2._skipEffects && argsChanged(state._args, args)) {
      state._passive = true;
      state._value = callback;
      state._pendingArgs = args;
      currentComponent.__hooks._pendingEffects.push(state);
    }
  }
  function useLayoutEffect(callback, args) {
    const state = getHookState(currentIndex++, 4);
    if (!options2._skipEffects && argsChanged(state._args, args)) {
      state._passive = false;
      state._value = callback;
      state._pendingArgs = args;
      currentComponent._renderCallbacks.push(state);
    }
  }
  function useRef(initialValue) {
    currentHook = 5;
    return useMemo(() => ({ current: initialValue }), []);
  }
  function useMemo(factory, args) {
    const state = getHookState(currentIndex++, 7);
    if (argsChanged(state._args, args)) {
      state._value = factory();
      state._args = args;
    }
    return state._value;
  }
  function flushAfterPaintEffects() {
    let component;
    do {
      while (component = unmountCleanups.shift()) {
        try {
          invokeCleanup(component);
        } catch (e) {
          component = /** @type {any} */
          component._passive;
          options2._catchError(e, { _parent: component && component._vnode });
        }
      }
      while (component = afterPaintEffects.shift()) {
        const hooks = component.__hooks;
        if (!component._parentDom || !hooks) continue;
        try {
          hooks._pendingEffects.some(invokeCleanup);
          hooks._pendingEffects.some(invokeEffect);
          hooks._pendingEffects = [];
        } catch (e) {
          hooks._pendingEffects = [];
          options2._catchError(e, component._vnode);
        }
      }
    } while (unmountCleanups.length);
  }
  var HAS_RAF = typeof requestAnimationFrame == "function";
  function afterNextFrame(callback) {
    const done = () => {
      clearTimeout(timeout);
      if (HAS_RAF) cancelAnimationFrame(raf);
      setTimeout(callback);
    };
    const timeout = setTimeout(done, RAF_TIMEOUT);
    let raf;
    if (HAS_RAF) {
      raf = requestAnimationFrame(done);
    }
  }
  function afterPaint(newQueueLength) {
    if (newQueueLength == 1 || prevRaf != options2.requestAnimationFrame) {
      prevRaf = options2.requestAnimationFrame;
      (prevRaf || afterNextFrame)(flushAfterPaintEffects);
    }
  }
  function invokeCleanup(hook) {
    const comp = currentComponent;
    let cleanup = hook._cleanup;
    if (typeof cleanup == "function") {
      hook._cleanup = void 0;
      cleanup();
    }
    currentComponent = comp;
  }
  function invokeEffect(hook) {
    const comp = currentComponent;
    hook._cleanup = hook._value();
    currentComponent = comp;
  }
  function argsChanged(oldArgs, newArgs) {
    return !oldArgs || oldArgs.length != newArgs.length || newArgs.some((arg, index) => !ObjectIs(arg, oldArgs[index]));
  }
  function invokeOrReturn(arg, f) {
    return typeof f == "function" ? f(arg) : f;
  }

  // src/model/pane.js
  var Pane = class _Pane {
    constructor(tree, { open = [], selected = [], unfolded = [] } = {}) {
      this.tree = tree;
      this.open = new Set(open);
      this.selected = new Set(selected);
      this.unfolded = new Set(unfolded);
    }
    with(parts) {
      return new _Pane(this.tree, { open: this.open, selected: this.selected, unfolded: this.unfolded, ...parts });
    }
    isOpen(node) {
      return this.open.has(node) && !this.tree.isLeaf(node);
    }
    shown() {
      return this.tree.walk(this.tree.children(-1), this.open);
    }
    // Returns the nodes whose exclusive values add up to the shown values of some nodes: the open nodes themselves, and
    // the closed nodes with all their descendants.
    held(nodes) {
      return [...nodes].flatMap((node) => this.isOpen(node) ? [node] : this.tree.walk([node]));
    }
    opened(nodes) {
      return this.with({ open: /* @__PURE__ */ new Set([...this.open, ...nodes.filter((node) => !this.tree.isLeaf(node))]) });
    }
    // Closes nodes. If a selected node is no longer visible, its outermost closed ancestor is selected instead.
    closed(nodes) {
      const open = new Set(this.open);
      for (const node of nodes) open.delete(node);
      const visible = (node) => this.tree.ancestors(node).findLast((above) => !open.has(above)) ?? node;
      return this.with({ open, selected: new Set([...this.selected].map(visible)) });
    }
    // Selects nodes, and opens their ancestors, so that the selection is always visible.
    selecting(nodes) {
      const above = nodes.flatMap((node) => this.tree.ancestors(node));
      return this.with({ selected: new Set(nodes), open: /* @__PURE__ */ new Set([...this.open, ...above]) });
    }
    unfolding(node) {
      return this.with({ unfolded: /* @__PURE__ */ new Set([...this.unfolded, node]) });
    }
  };

  // src/address.js
  var VALUES = { absolute: "abs", root: "pct", selection: "sel", other: "other" };
  var MOST = 200;
  var names = (tree, nodes) => [...nodes].map((node) => node < 0 ? "/" : encodeURIComponent(tree.identities[node])).join(",");
  function fragmentOf(state) {
    const { browser, basis, flat, grouping, filtered, tab, time, source, experiment } = state;
    const { metrics, program, system } = browser.panes;
    const parts = [
      ["m", names(metrics.tree, metrics.selected)],
      ["c", names(program.tree, program.selected)],
      ["s", names(system.tree, system.selected)],
      ["v", VALUES[basis ?? "absolute"]]
    ];
    if (flat) parts.push(["f", "flat"]);
    if (filtered) parts.push(["r", "only"]);
    if (grouping) parts.push(["g", grouping]);
    if (experiment !== "run") parts.push(["e", experiment]);
    if (tab) parts.push(["t", tab]);
    if (time.trace) parts.push(["tr", String(time.trace)]);
    if (time.shown) parts.push(["tm", time.shown.map(encodeURIComponent).join(",") || "-"]);
    if (time.range) parts.push(["ti", time.range.join(":")]);
    parts.push(["src", source ? "on" : "off"]);
    for (const [key, pane] of [["m", metrics], ["c", program], ["s", system]]) {
      if (pane.open.size <= MOST) parts.push([`${key}o`, names(pane.tree, pane.open)]);
      if (pane.unfolded.size) parts.push([`${key}u`, names(pane.tree, pane.unfolded)]);
    }
    return parts.filter(([key, text]) => text || key.endsWith("o")).map(([key, text]) => `${key}=${text}`).join("&");
  }
  function piecesOf(fragment) {
    const found = /* @__PURE__ */ new Map();
    for (const piece of fragment.replace(/^#/, "").split("&")) {
      const [, key, text] = /^([a-z]{1,3})=(.*)$/s.exec(piece) ?? [];
      if (key) found.set(key, text);
    }
    return found;
  }
  function paneOf(pane, pieces, key) {
    const { tree } = pane;
    const nodes = (text) => text.split(",").filter(Boolean).map((name) => nodeOf(tree, name)).filter((node) => node !== void 0);
    const asked = (suffix) => pieces.has(key + suffix) ? nodes(pieces.get(key + suffix)) : null;
    const open = asked("o")?.filter((node) => node >= 0);
    let found = new Pane(tree, { open: open ?? pane.open, selected: pane.selected, unfolded: asked("u") ?? [] });
    const selected = asked("")?.filter((node) => node >= 0);
    if (selected?.length) found = found.selecting(selected);
    else if (selected && key === "s") found = found.selecting([]);
    return found.selecting([...found.selected]);
  }
  function timeOf(times, pieces) {
    const trace = Number(pieces.get("tr") ?? 0);
    if (!times[trace]) return { trace: 0, shown: null, range: null };
    const { metrics, edges } = times[trace].head;
    const known = (name) => metrics.some((metric) => encodeURIComponent(metric.name) === name);
    const shown = pieces.has("tm") ? pieces.get("tm").split(",").filter(known).map(decodeURIComponent) : null;
    const [start2, end] = (pieces.get("ti") ?? "").split(":").map(Number);
    return { trace, shown, range: start2 >= edges[0] && end <= edges[1] && start2 < end ? [start2, end] : null };
  }
  function nodeOf(tree, name) {
    if (name === "/") return -1;
    try {
      return tree.find(decodeURIComponent(name));
    } catch {
      return void 0;
    }
  }

  // node_modules/htm/src/constants.mjs
  var MINI = false;

  // node_modules/htm/src/build.mjs
  var MODE_SLASH = 0;
  var MODE_TEXT = 1;
  var MODE_WHITESPACE = 2;
  var MODE_TAGNAME = 3;
  var MODE_COMMENT = 4;
  var MODE_PROP_SET = 5;
  var MODE_PROP_APPEND = 6;
  var CHILD_APPEND = 0;
  var CHILD_RECURSE = 2;
  var TAG_SET = 3;
  var PROPS_ASSIGN = 4;
  var PROP_SET = MODE_PROP_SET;
  var PROP_APPEND = MODE_PROP_APPEND;
  var evaluate = (h, built, fields, args) => {
    let tmp;
    built[0] = 0;
    for (let i = 1; i < built.length; i++) {
      const type = built[i++];
      const value = built[i] ? (built[0] |= type ? 1 : 2, fields[built[i++]]) : built[++i];
      if (type === TAG_SET) {
        args[0] = value;
      } else if (type === PROPS_ASSIGN) {
        args[1] = Object.assign(args[1] || {}, value);
      } else if (type === PROP_SET) {
        (args[1] = args[1] || {})[built[++i]] = value;
      } else if (type === PROP_APPEND) {
        args[1][built[++i]] += value + "";
      } else if (type) {
        tmp = h.apply(value, evaluate(h, value, fields, ["", null]));
        args.push(tmp);
        if (value[0]) {
          built[0] |= 2;
        } else {
          built[i - 2] = CHILD_APPEND;
          built[i] = tmp;
        }
      } else {
        args.push(value);
      }
    }
    return args;
  };
  var build = function(statics) {
    const fields = arguments;
    const h = this;
    let mode = MODE_TEXT;
    let buffer = "";
    let quote = "";
    let current = [0];
    let char, propName;
    const commit = (field) => {
      if (mode === MODE_TEXT && (field || (buffer = buffer.replace(/^\s*\n\s*|\s*\n\s*$/g, "")))) {
        if (MINI) {
          current.push(field ? fields[field] : buffer);
        } else {
          current.push(CHILD_APPEND, field, buffer);
        }
      } else if (mode === MODE_TAGNAME && (field || buffer)) {
        if (MINI) {
          current[1] = field ? fields[field] : buffer;
        } else {
          current.push(TAG_SET, field, buffer);
        }
        mode = MODE_WHITESPACE;
      } else if (mode === MODE_WHITESPACE && buffer === "..." && field) {
        if (MINI) {
          current[2] = Object.assign(current[2] || {}, fields[field]);
        } else {
          current.push(PROPS_ASSIGN, field, 0);
        }
      } else if (mode === MODE_WHITESPACE && buffer && !field) {
        if (MINI) {
          (current[2] = current[2] || {})[buffer] = true;
        } else {
          current.push(PROP_SET, 0, true, buffer);
        }
      } else if (mode >= MODE_PROP_SET) {
        if (MINI) {
          if (mode === MODE_PROP_SET) {
            (current[2] = current[2] || {})[propName] = field ? buffer ? buffer + fields[field] : fields[field] : buffer;
            mode = MODE_PROP_APPEND;
          } else if (field || buffer) {
            current[2][propName] += field ? buffer + fields[field] : buffer;
          }
        } else {
          if (buffer || !field && mode === MODE_PROP_SET) {
            current.push(mode, 0, buffer, propName);
            mode = MODE_PROP_APPEND;
          }
          if (field) {
            current.push(mode, field, 0, propName);
            mode = MODE_PROP_APPEND;
          }
        }
      }
      buffer = "";
    };
    for (let i = 0; i < statics.length; i++) {
      if (i) {
        if (mode === MODE_TEXT) {
          commit();
        }
        commit(i);
      }
      for (let j = 0; j < statics[i].length; j++) {
        char = statics[i][j];
        if (mode === MODE_TEXT) {
          if (char === "<") {
            commit();
            if (MINI) {
              current = [current, "", null];
            } else {
              current = [current];
            }
            mode = MODE_TAGNAME;
          } else {
            buffer += char;
          }
        } else if (mode === MODE_COMMENT) {
          if (buffer === "--" && char === ">") {
            mode = MODE_TEXT;
            buffer = "";
          } else {
            buffer = char + buffer[0];
          }
        } else if (quote) {
          if (char === quote) {
            quote = "";
          } else {
            buffer += char;
          }
        } else if (char === '"' || char === "'") {
          quote = char;
        } else if (char === ">") {
          commit();
          mode = MODE_TEXT;
        } else if (!mode) {
        } else if (char === "=") {
          mode = MODE_PROP_SET;
          propName = buffer;
          buffer = "";
        } else if (char === "/" && (mode < MODE_PROP_SET || statics[i][j + 1] === ">")) {
          commit();
          if (mode === MODE_TAGNAME) {
            current = current[0];
          }
          mode = current;
          if (MINI) {
            (current = current[0]).push(h.apply(null, mode.slice(1)));
          } else {
            (current = current[0]).push(CHILD_RECURSE, 0, mode);
          }
          mode = MODE_SLASH;
        } else if (char === " " || char === "	" || char === "\n" || char === "\r") {
          commit();
          mode = MODE_WHITESPACE;
        } else {
          buffer += char;
        }
        if (mode === MODE_TAGNAME && buffer === "!--") {
          mode = MODE_COMMENT;
          current = current[0];
        }
      }
    }
    commit();
    if (MINI) {
      return current.length > 2 ? current.slice(1) : current[1];
    }
    return current;
  };

  // node_modules/htm/src/index.mjs
  var CACHES = /* @__PURE__ */ new Map();
  var regular = function(statics) {
    let tmp = CACHES.get(this);
    if (!tmp) {
      tmp = /* @__PURE__ */ new Map();
      CACHES.set(this, tmp);
    }
    tmp = evaluate(this, tmp.get(statics) || (tmp.set(statics, tmp = build(statics)), tmp), arguments, []);
    return tmp.length > 1 ? tmp : tmp[0];
  };
  var src_default = MINI ? build : regular;

  // src/html.js
  var html = src_default.bind(createElement);

  // src/model/tally.js
  var least = (one, other) => one !== one ? other : other !== other ? one : Math.min(one, other);
  var most = (one, other) => one !== one ? other : other !== other ? one : Math.max(one, other);
  var sum = (one, other) => one + other;
  var OPERATIONS = { sum, none: sum, min: least, max: most };
  var Tally = class _Tally {
    constructor(aggregation, amounts, known, gaps) {
      Object.assign(this, { aggregation, amounts, known, gaps });
    }
    static nothing(aggregation, places) {
      const amounts = new Float64Array(places).fill(OPERATIONS[aggregation] === sum ? 0 : NaN);
      return new _Tally(aggregation, amounts, new Float64Array(places), new Float64Array(places));
    }
    get length() {
      return this.amounts.length;
    }
    get operation() {
      return OPERATIONS[this.aggregation];
    }
    // Returns the value at a place, or the reason why it is missing; the gap is `partial` if some values are missing.
    // `hasCells`: whether the place should have values; if it has none, the metric was measured only for whole processes.
    value(place, hasCells = false) {
      const known = this.known[place];
      const gaps = this.gaps[place];
      if (this.aggregation === "none" && known + gaps > 1) return { amount: null, gap: "not summed" };
      if (hasCells && !(known + gaps)) return { amount: null, gap: "per rank" };
      if (!(known + gaps)) {
        return this.aggregation === "sum" ? { amount: 0, gap: "" } : { amount: null, gap: "shown below" };
      }
      if (!known) return { amount: null, gap: "not measured" };
      return { amount: this.amounts[place], gap: gaps ? "partial" : "" };
    }
    at(place) {
      const one = (numbers) => numbers.slice(place, place + 1);
      return new _Tally(this.aggregation, one(this.amounts), one(this.known), one(this.gaps));
    }
    plus(other) {
      const { operation } = this;
      return new _Tally(
        this.aggregation,
        this.amounts.map((amount3, place) => operation(amount3, other.amounts[place])),
        this.known.map((known, place) => known + other.known[place]),
        this.gaps.map((gaps, place) => gaps + other.gaps[place])
      );
    }
    // Returns the tally with a part subtracted from its sums. If the part is unknown at a place, nothing is subtracted.
    less(part) {
      return new _Tally(
        this.aggregation,
        this.amounts.map((amount3, place) => amount3 - part.amounts[place]),
        this.known,
        this.gaps.map((gaps, place) => gaps + part.gaps[place])
      );
    }
    // Returns a tally with one place per node of a tree, aggregated over the places that belong to that node.
    atHome(tree) {
      const found = _Tally.nothing(this.aggregation, tree.length);
      for (let cell2 = 0; cell2 < this.length; cell2++) found.add(tree.home[cell2], this, cell2);
      return found;
    }
    // Returns a tally in which the value of each node of a tree includes its descendants' values.
    up(tree) {
      const found = new _Tally(this.aggregation, this.amounts.slice(), this.known.slice(), this.gaps.slice());
      for (let node = tree.length - 1; node >= 0; node--) {
        if (tree.parents[node] >= 0) found.add(tree.parents[node], found, node);
      }
      return found;
    }
    together() {
      const one = _Tally.nothing(this.aggregation, 1);
      for (let place = 0; place < this.length; place++) one.add(0, this, place);
      return one;
    }
    // Adds the value at a place of another tally to a place of this tally.
    add(place, other, at) {
      this.amounts[place] = this.operation(this.amounts[place], other.amounts[at]);
      this.known[place] += other.known[at];
      this.gaps[place] += other.gaps[at];
    }
  };

  // src/model/browser.js
  var DIMENSIONS = ["metrics", "program", "system"];
  var summable = (metrics) => metrics.every(({ aggregation }) => aggregation === "sum") && new Set(metrics.map(({ unit }) => unit)).size === 1;
  var Browser = class _Browser {
    constructor(sums, panes) {
      this.sums = sums;
      this.panes = panes;
      this.kept = /* @__PURE__ */ new Map();
    }
    with(dimension, pane) {
      return new _Browser(this.sums, { ...this.panes, [dimension]: pane });
    }
    // Returns this browser with other sums, such as those of some locations.
    of(sums) {
      return new _Browser(sums, this.panes);
    }
    opened(dimension, nodes) {
      return this.with(dimension, this.panes[dimension].opened(nodes));
    }
    closed(dimension, nodes) {
      return this.with(dimension, this.panes[dimension].closed(nodes));
    }
    selecting(dimension, nodes) {
      return this.with(dimension, this.panes[dimension].selecting(nodes));
    }
    unfolding(dimension, node) {
      return this.with(dimension, this.panes[dimension].unfolding(node));
    }
    // Returns the tally that contains the value of a shown node, and the value's place in the tally.
    tallyOf(dimension, node) {
      const pane = this.panes[dimension];
      if (dimension === "metrics") return [this.ofMetric(node), 0];
      const { own, closed } = dimension === "program" ? this.ofProgram : this.ofSystem;
      return [pane.isOpen(node) ? own : closed, node];
    }
    value(dimension, node) {
      const [tally, place] = this.tallyOf(dimension, node);
      const hasCells = dimension === "metrics" ? this.sums.metrics[node].perRank : dimension === "program" || !this.panes.system.isOpen(node);
      return tally.value(place, hasCells);
    }
    // Returns the inclusive value of a node, which it shows when it is closed.
    inclusive(dimension, node) {
      if (dimension === "metrics") return this.sums.total(node).value(0);
      return (dimension === "program" ? this.ofProgram : this.ofSystem).closed.value(node);
    }
    // Returns the aggregated value of several shown nodes.
    together(dimension, nodes) {
      const found = nodes.map((node) => {
        const [tally, place] = this.tallyOf(dimension, node);
        return tally.at(place);
      });
      return found.reduce((one, other) => one.plus(other)).value(0, dimension !== "metrics");
    }
    ofMetric(node) {
      const parts = this.partsOf(node).map((part) => this.sums.total(part));
      return parts.reduce((whole2, part) => whole2.less(part), this.sums.total(node));
    }
    // Returns the child metrics that an open node's value excludes, because they are shown below it.
    partsOf(node) {
      const adds = this.sums.metrics[node].aggregation === "sum";
      return adds && this.panes.metrics.isOpen(node) ? this.sums.parts[node] : [];
    }
    // Returns the selected metrics, each followed by the parts to subtract from it.
    get terms() {
      return this.metrics.flatMap((metric) => [metric, ...this.partsOf(metric)]);
    }
    // Returns whether values of the selected metrics are loaded for each location.
    get located() {
      return this.terms.every((metric) => this.sums.values.has(metric));
    }
    get metrics() {
      return [...this.panes.metrics.selected].sort((one, other) => one - other);
    }
    // Returns the names of the selected metrics.
    get named() {
      return this.metrics.map((node) => this.sums.metrics[node].name).join(", ");
    }
    get summed() {
      return summable(this.metrics.map((node) => this.sums.metrics[node]));
    }
    // Returns the value stored under a name; it is computed only once per browser.
    once(name, make) {
      if (!this.kept.has(name)) this.kept.set(name, make());
      return this.kept.get(name);
    }
    // Returns exclusive and inclusive values of the selected metrics at each program node, over all locations.
    get ofProgram() {
      const { tree } = this.panes.program;
      const terms = this.metrics.map((metric) => [metric, ...this.partsOf(metric)].join("-"));
      return this.sums.once(tree, `program ${terms}`, () => this.spread((metric) => this.sums.byPath(metric), tree));
    }
    // Returns exclusive and inclusive values of the selected metrics and program nodes at each system node.
    get ofSystem() {
      return this.once("system", () => this.sums.ofSystem(this));
    }
    // Returns the call paths whose values the selected program nodes show.
    get paths() {
      const { program } = this.panes;
      return this.once("paths", () => program.tree.cells(program.held(program.selected)));
    }
    // Returns exclusive and inclusive values of the selected metrics at each node of a tree. `read`: returns a metric's
    // tally.
    spread(read, tree) {
      const own = this.selected(read).atHome(tree);
      return { own, closed: own.up(tree) };
    }
    // Returns the sum of the selected metrics. If they cannot be added, only places with one cell have a value.
    selected(read) {
      let tallies = this.metrics.map(
        (node) => this.partsOf(node).reduce((whole2, part) => whole2.less(read(part)), read(node))
      );
      if (tallies.length > 1 && !this.summed) {
        tallies = tallies.map(({ amounts, known, gaps }) => new Tally("none", amounts, known, gaps));
      }
      return tallies.reduce((one, other) => one.plus(other));
    }
  };

  // src/model/ranges.js
  var CELLS = 1 << 22;
  function ranges(browser, tree = browser.panes.program.tree) {
    const { sums } = browser;
    const metrics = browser.metrics;
    if (sums.large) return metrics.length === 1 ? sums.rangesOf(tree, metrics[0], browser.partsOf(metrics[0])) : null;
    if (!browser.summed || !browser.located) return null;
    const terms = metrics.flatMap((metric) => [[metric, 1], ...browser.partsOf(metric).map((part) => [part, -1, metric])]);
    return sums.once(tree, `ranges ${terms.join(" ")}`, () => computed(sums, tree, terms));
  }
  function computed(sums, tree, terms) {
    const found = { own: nothing(tree.length), closed: nothing(tree.length) };
    const width = Math.max(1, Math.min(sums.columns, Math.floor(CELLS / tree.length)));
    for (let from = 0; from < sums.columns; from += width) {
      const count2 = Math.min(width, sums.columns - from);
      const values = new Float64Array(tree.length * count2).fill(NaN);
      for (let path = 0; path < sums.paths; path++) {
        for (const [metric, sign, whole2] of terms) {
          const [cells2, needed] = [metric, whole2 ?? metric].map((each) => sums.values.get(each).subarray(path * sums.columns + from));
          add(values, tree.home[path] * count2, cells2, 0, count2, sign, needed);
        }
      }
      note(found.own, values, count2);
      for (let node = tree.length - 1; node >= 0; node--) {
        if (tree.parents[node] >= 0) add(values, tree.parents[node] * count2, values, node * count2, count2, 1);
      }
      note(found.closed, values, count2);
    }
    for (const { least: least2, mean, most: most3, known } of Object.values(found)) {
      for (let node = 0; node < tree.length; node++) {
        mean[node] /= known[node];
        if (!known[node]) least2[node] = most3[node] = NaN;
      }
    }
    return found;
  }
  var nothing = (nodes) => ({
    least: new Float64Array(nodes).fill(Infinity),
    mean: new Float64Array(nodes),
    most: new Float64Array(nodes).fill(-Infinity),
    known: new Float64Array(nodes)
  });
  function add(values, to, cells2, from, count2, sign, needed = cells2) {
    for (let place = 0; place < count2; place++) {
      const value = cells2[from + place];
      if (value !== value || needed[from + place] !== needed[from + place]) continue;
      const sum2 = values[to + place];
      values[to + place] = sum2 === sum2 ? sum2 + sign * value : sign * value;
    }
  }
  function note({ least: least2, mean, most: most3, known }, values, count2) {
    for (let node = 0; node < least2.length; node++) {
      for (let place = node * count2; place < (node + 1) * count2; place++) {
        const value = values[place];
        if (value !== value) continue;
        if (value < least2[node]) least2[node] = value;
        if (value > most3[node]) most3[node] = value;
        mean[node] += value;
        known[node]++;
      }
    }
  }

  // src/model/regions.js
  var placeOf = ([, , file, , first]) => atLine(file, first);
  function atLine(file, line) {
    const name = file.split("/").at(-1);
    return line && name ? `${name}:${line}` : name;
  }
  function regionSums(browser, experiment, scope = null) {
    const calls = experiment.trees.calls;
    const home = experiment.trees.flat.home;
    const own = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls);
    const closed = own.up(calls);
    const found = new Float64Array(experiment.head.regions.length).fill(NaN);
    if (own.aggregation !== "sum") return found;
    const inside = scope && new Set(calls.walk(scope));
    for (let path = 0; path < calls.length; path++) {
      if (inside && !inside.has(path)) continue;
      const region = home[path];
      const again = calls.ancestors(path).some((above) => home[above] === region && (!inside || inside.has(above)));
      if (again) continue;
      const { amount: amount3 } = closed.value(path);
      if (amount3 !== null) found[region] = (found[region] === found[region] ? found[region] : 0) + amount3;
    }
    return found;
  }
  function selectedPaths(browser, experiment) {
    const { tree, selected } = browser.panes.program;
    if (tree === experiment.trees.calls) return [...selected];
    return [...experiment.trees.flat.home.keys()].filter((path) => selected.has(experiment.trees.flat.home[path]));
  }
  function heaviestPath(browser, experiment, region, scope = null) {
    const { calls, flat } = experiment.trees;
    const { amounts } = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls).up(calls);
    const paths = [...flat.home.keys()].filter((path) => flat.home[path] === region);
    const inside = scope && new Set(calls.walk(scope));
    const near = paths.filter((path) => inside?.has(path));
    return (near.length ? near : paths).reduce((one, other) => Math.abs(amounts[other]) > Math.abs(amounts[one]) ? other : one);
  }
  function nested(regions, file) {
    const found = [...regions.entries()].filter(([, region]) => region[2] === file && region[4] > 0).map(([number, region]) => ({ number, first: region[4], last: Math.max(region[4], region[5]) })).sort((one, other) => one.first - other.first || other.last - one.last);
    const around2 = [];
    for (const region of found) {
      while (around2.length && around2.at(-1).last < region.first) around2.pop();
      region.depth = around2.length;
      around2.push(region);
    }
    return found;
  }

  // src/model/folding.js
  var SHARE = 5e-3;
  function folded(browser, dimension) {
    const found = /* @__PURE__ */ new Map();
    if (dimension === "system") return found;
    const pane = browser.panes[dimension];
    const small = browser.once(
      `small ${dimension}`,
      () => dimension === "metrics" ? smallMetrics(browser) : smallPaths(browser)
    );
    for (const node of pane.shown()) {
      const above = pane.tree.parents[node];
      if (!small[node] || pane.unfolded.has(above) || pane.selected.has(node) || pane.isOpen(node)) continue;
      if (!found.has(above)) found.set(above, []);
      found.get(above).push(node);
    }
    for (const [above, nodes] of found) if (nodes.length === 1) found.delete(above);
    return found;
  }
  function smallMetrics(browser) {
    const { sums } = browser;
    const { tree } = browser.panes.metrics;
    const added = sums.metrics.map(({ aggregation }) => aggregation === "sum");
    const sizes = sums.metrics.map((_, metric) => sums.byPath(metric).amounts.reduce(sizeAdded, 0));
    for (let node = tree.length - 1; node >= 0; node--) {
      const above = tree.parents[node];
      if (above < 0) continue;
      sizes[above] = Math.max(sizes[above], sizes[node]);
      added[above] &&= added[node];
    }
    return sizes.map((size, node) => added[node] && size < SHARE * sizes[tree.root(node)]);
  }
  function smallPaths(browser) {
    const { own } = browser.ofProgram;
    if (own.aggregation !== "sum") return new Uint8Array(own.length);
    const sizes = new Tally("sum", own.amounts.map(Math.abs), own.known, own.gaps).up(browser.panes.program.tree).amounts;
    const all = own.amounts.reduce(sizeAdded, 0);
    return Uint8Array.from(sizes, (size) => size < SHARE * all);
  }
  var sizeAdded = (sum2, amount3) => sum2 + (amount3 !== amount3 ? 0 : Math.abs(amount3));

  // src/model/shares.js
  function share(value, of) {
    if (value.amount === null) return value;
    if (!of.amount) return { amount: null, gap: "no share" };
    const partial = value.gap === "partial" || of.gap === "partial";
    return { amount: 100 * value.amount / Math.abs(of.amount), gap: partial ? "partial" : "" };
  }
  function wholeOf(browser, dimension, basis, node) {
    if (dimension === "metrics") return ofRoots(browser, [node], basis);
    if (basis === "selection" && browser.summed) {
      const { own } = dimension === "program" ? browser.ofProgram : browser.ofSystem;
      return own.together().value(0);
    }
    return ofRoots(browser, browser.metrics, basis);
  }
  function ofRoots(browser, metrics, basis) {
    const none = { amount: null, gap: "no share" };
    const kinds = browser.sums.metrics;
    if (!summable(metrics.map((node) => kinds[node]))) return none;
    const { tree } = browser.panes.metrics;
    const roots = [...new Set(metrics.map((node) => tree.root(node)))];
    const other = typeof basis === "string" ? null : basis;
    const same = other ? roots.map((root) => other.get(kinds[root].name)) : roots.map((root) => kinds[root]);
    if (same.includes(void 0) || !summable([...roots.map((root) => kinds[root]), ...same])) return none;
    const totals = roots.map((root, place) => other ? same[place].total : browser.sums.total(root));
    return totals.reduce((one, two) => one.plus(two)).value(0);
  }

  // src/model/rows.js
  var Rows = class {
    // `basis`: determines the value that is 100 %; null for absolute values.
    constructor(browser, dimension, basis) {
      Object.assign(this, { browser, dimension, basis });
      this.pane = browser.panes[dimension];
      this.small = folded(browser, dimension);
      this.hidden = new Set([...this.small.values()].flat());
      const selected = browser.metrics[0];
      this.unit = browser.sums.metrics[selected].unit;
      if (dimension !== "metrics") {
        this.root = wholeOf(browser, dimension, "root", selected);
        this.whole = basis === null ? null : wholeOf(browser, dimension, basis, selected);
      }
      this.order = this.#order();
      this.tops = this.#tops();
    }
    get length() {
      return this.order.length;
    }
    // Returns the visible nodes in order. A node's folded children follow its other children, as the number -2 - node.
    #order() {
      const { tree } = this.pane;
      const found = [];
      const pending = [];
      const push = (parent) => {
        if (this.small.has(parent)) pending.push(-parent - 2);
        const children = tree.children(parent);
        for (let place = children.length - 1; place >= 0; place--) {
          if (!this.hidden.has(children[place])) pending.push(children[place]);
        }
      };
      push(-1);
      while (pending.length) {
        const node = pending.pop();
        found.push(node);
        if (node >= 0 && this.pane.isOpen(node)) push(node);
      }
      return found;
    }
    // Returns the upper end of each colour scale: the total, or the largest value if that is larger.
    #tops() {
      const tops = /* @__PURE__ */ new Map();
      for (const node of this.pane.shown()) {
        const group = this.#group(node);
        if (group === null) continue;
        const [value, unit] = this.#written(node);
        const key = `${group} ${unit}`;
        tops.set(key, Math.max(tops.get(key) ?? 0, this.#least(node, unit), Math.abs(value.amount ?? 0)));
      }
      return tops;
    }
    // Returns the smallest possible upper end of a scale: the total or, in the system tree, 0, because each rank of a
    // large run has only a small share.
    #least(node, unit) {
      if (this.dimension === "system") return 0;
      return unit === "%" ? 100 : Math.abs(this.#rootOf(node).amount ?? 0);
    }
    // Returns the key that, with the unit, identifies the scale of a node; null for metrics that are not additive.
    #group(node) {
      return this.dimension === "metrics" && this.#rootOf(node).amount === null ? null : 0;
    }
    #rootOf(node) {
      return this.root ?? wholeOf(this.browser, "metrics", "root", node);
    }
    #wholeFor(node) {
      if (this.basis === null) return null;
      return this.whole ?? wholeOf(this.browser, "metrics", this.basis, node);
    }
    #written(node, value = this.browser.value(this.dimension, node)) {
      const whole2 = this.#wholeFor(node);
      const unit = this.dimension === "metrics" ? this.browser.sums.metrics[node].unit : this.unit;
      return whole2?.amount ? [share(value, whole2), "%"] : [value, unit];
    }
    row(place) {
      const node = this.order[place];
      return node < 0 ? this.#folded(-node - 2) : this.#single(node);
    }
    // Returns the position of a row among the rows with the same parent, from 1, and the number of these rows. Screen
    // readers need both, because only visible rows are in the document. `node`: null for the row of folded nodes.
    #among(above, node) {
      const { tree } = this.pane;
      const children = tree.children(above);
      const folded2 = this.small.get(above);
      if (!folded2) return { position: tree.positions[node] + 1, siblings: children.length };
      const siblings = children.length - folded2.length + 1;
      return { position: node === null ? siblings : children.filter((each) => !this.hidden.has(each)).indexOf(node) + 1, siblings };
    }
    #single(node) {
      const { tree } = this.pane;
      const [value, unit] = this.#written(node);
      const isOpen = this.pane.isOpen(node);
      const whole2 = isOpen && value.amount !== null ? this.#written(node, this.browser.inclusive(this.dimension, node))[0] : value;
      return {
        nodes: [node],
        ...this.#among(tree.parents[node], node),
        above: tree.parents[node],
        depth: tree.depths[node],
        label: tree.labels[node],
        state: isOpen ? "open" : tree.isLeaf(node) ? "leaf" : "closed",
        selected: this.pane.selected.has(node),
        value,
        unit,
        colour: this.#place(node, whole2.amount === null ? value : whole2, unit),
        // shows the inclusive value, as if the node were closed
        part: this.#place(node, value, unit)
      };
    }
    #folded(above) {
      const nodes = this.small.get(above);
      const [value, unit] = this.#written(nodes[0], this.browser.together(this.dimension, nodes));
      return {
        nodes,
        ...this.#among(above, null),
        above,
        depth: this.pane.tree.depths[nodes[0]],
        label: `${nodes.length} more`,
        state: "folded",
        selected: false,
        value,
        unit,
        colour: this.#place(nodes[0], value, unit),
        part: this.#place(nodes[0], value, unit)
      };
    }
    // Returns the position of a value on the scale, from 0 to 1; null if there is no scale or no value.
    #place(node, value, unit) {
      if (value.amount === null) return null;
      const top = this.tops.get(`${this.#group(node)} ${unit}`);
      if (top === void 0) return null;
      return top ? Math.min(1, Math.abs(value.amount) / top) : 0;
    }
    // Returns the upper end of the colour scale, with its unit; in the metric tree, the scale is that of the first
    // selected metric. Null if there is no scale.
    get legend() {
      const node = this.dimension === "metrics" ? this.browser.metrics[0] : 0;
      const group = this.#group(node);
      if (group === null) return null;
      const unit = this.#written(this.dimension === "metrics" ? node : this.order.find((each) => each >= 0))[1];
      const top = this.tops.get(`${group} ${unit}`);
      return top === void 0 ? null : { top, unit };
    }
  };

  // src/model/units.js
  function evened(value, places) {
    const unit = 10 ** Math.abs(places);
    const halves = places >= 0 ? value * 2 ** (places + 1) : value * 2 / unit;
    if (!Number.isInteger(halves) || halves % 2 === 0) return value;
    const lower = Math.floor(places >= 0 ? value * unit : value / unit);
    if (lower % 2 !== 0) return value;
    return places >= 0 ? lower / unit : lower * unit;
  }
  var fixed = (value, places) => evened(value, places).toFixed(places);
  var power = (value) => Number(value.toExponential().split("e")[1]);
  var TIMES = [["s", 1], ["ms", 1e-3], ["us", 1e-6]];
  var ENERGIES = [["MJ", 1e6], ["kJ", 1e3], ["J", 1], ["mJ", 1e-3]];
  var VOLUMES = [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]];
  function seconds(value) {
    for (const [unit, size] of TIMES) {
      if (value >= 0.9995 * size) return `${value < 999.5 * size ? digits(value / size) : fixed(value / size, 0)} ${unit}`;
    }
    return value ? `${fixed(value * 1e9, 0)} ns` : "0 s";
  }
  function joules(value) {
    for (const [unit, size] of ENERGIES) {
      if (value >= 0.9995 * size) return `${value < 999.5 * size ? digits(value / size) : fixed(value / size, 0)} ${unit}`;
    }
    const least2 = fixed(value * 1e6, 0);
    return least2 === "0" ? "0 J" : `${least2} uJ`;
  }
  function volume(value) {
    for (const [unit, size] of VOLUMES) if (value >= 0.9995 * size) return `${digits(value / size)} ${unit}`;
    return `${fixed(value, 0)} B`;
  }
  function count(value) {
    if (value < 9995) return fixed(value, 0);
    const [mantissa, exponent] = evened(value, 1 - power(value)).toExponential(1).split("e");
    return `${mantissa}e${Number(exponent)}`;
  }
  var digits = (value, places = 3) => {
    const written2 = value ? evened(value, places - 1 - power(value)).toPrecision(places) : "0";
    if (written2.includes("e")) return general(value, places);
    return written2.includes(".") ? written2.replace(/\.?0+$/, "") : written2;
  };
  function general(value, places) {
    if (value === 0) return "0";
    const [mantissa, exponent] = evened(value, places - 1 - power(value)).toExponential(places - 1).split("e");
    const size = Number(exponent);
    if (size >= -4 && size < places) return digits(value, places);
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${short}e${size < 0 ? "-" : "+"}${String(Math.abs(size)).padStart(2, "0")}`;
  }
  function percent(value) {
    if (value >= 9.95) return `${fixed(value, 0)} %`;
    return value >= 0.05 || value === 0 ? `${fixed(value, 1)} %` : "< 0.1 %";
  }
  var WRITERS = { sec: seconds, bytes: volume, occ: count, J: joules, "%": percent };
  var isWritten = (unit) => unit === "" || unit in WRITERS;
  var LARGE = 999999.5;
  var NOTHING = /* @__PURE__ */ new Set(["0", "0 B", "0 ns", "0 s", "0 J", "0.0 %", "< 0.1 %"]);
  function written({ amount: amount3, gap }, unit) {
    if (amount3 === null) return { text: gap, sign: null };
    const writer = WRITERS[unit] ?? ((value) => value < LARGE ? general(value, 6) : count(value));
    const size = writer(Math.abs(amount3));
    if (NOTHING.has(size)) return { text: size.replace("0 ns", "0 s"), sign: 0 };
    return { text: `${amount3 < 0 ? "-" : ""}${size}`, sign: Math.sign(amount3) };
  }
  var amount = (value, unit) => written({ amount: value !== value ? null : value, gap: "-" }, unit).text;
  function letters(number) {
    let text = "";
    for (let left = number + 1; left; left = Math.floor((left - 1) / 26)) text = String.fromCharCode(65 + (left - 1) % 26) + text;
    return text;
  }

  // src/model/csv.js
  var FORMULA = /^[=+\-@\t\r]/;
  var cell = (value) => {
    if (value === null || value === void 0 || value !== value) return "";
    if (typeof value === "number") return String(value);
    const text = FORMULA.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  var csvText = (rows) => rows.map((row) => `${row.map(cell).join(",")}
`).join("");

  // src/parts/copied_picture.js
  var STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "text-anchor"];
  var SVG = "http://www.w3.org/2000/svg";
  var SCALE = 2;
  var TITLE = 20;
  var background = () => getComputedStyle(document.documentElement).backgroundColor;
  function svgText(svg) {
    const copy = svg.cloneNode(true);
    const originals = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((element, place) => {
      const style = getComputedStyle(originals[place]);
      for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
      for (const name of ["class", "role", "style", "tabindex"]) element.removeAttribute(name);
    });
    const { width, height } = svg.getBoundingClientRect();
    if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
    copy.setAttribute("width", Math.round(width));
    copy.setAttribute("height", Math.round(height));
    const behind = document.createElementNS(SVG, "rect");
    for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", background()]]) behind.setAttribute(name, value);
    copy.prepend(behind);
    return new XMLSerializer().serializeToString(copy);
  }
  async function imageOf(svg) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    return drawn(SCALE * image.naturalWidth, SCALE * image.naturalHeight, (context) => context.drawImage(image, 0, 0, SCALE * image.naturalWidth, SCALE * image.naturalHeight));
  }
  function imageOfAll(canvases) {
    const scale = globalThis.devicePixelRatio || 1;
    const heights = canvases.map(({ canvas }) => canvas.height + TITLE * scale);
    return drawn(Math.max(...canvases.map(({ canvas }) => canvas.width)), heights.reduce((sum2, each) => sum2 + each, 0), (context) => {
      context.fillStyle = getComputedStyle(document.body).color;
      context.font = `${12 * scale}px system-ui, sans-serif`;
      let top = 0;
      canvases.forEach(({ title, canvas }, place) => {
        context.fillText(title, 4 * scale, top + 14 * scale);
        context.drawImage(canvas, 0, top + TITLE * scale);
        top += heights[place];
      });
    });
  }
  function drawn(width, height, draw5) {
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.ceil(width), height: Math.ceil(height) });
    const context = canvas.getContext("2d");
    context.fillStyle = background();
    context.fillRect(0, 0, canvas.width, canvas.height);
    draw5(context);
    const made = canvas.toDataURL("image/png");
    if (!made.startsWith("data:image/png")) throw new RangeError("the picture is too large");
    return made;
  }
  function blobOf(address) {
    const bytes = atob(address.split(",")[1]);
    return new Blob([Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))], { type: "image/png" });
  }

  // src/parts/copies.js
  function Copies({ name, rows, svg, image = svg && (() => imageOf(svg())) }) {
    const [said, say] = useState("");
    const [left, leave] = useState(null);
    const text = useRef(null);
    useLayoutEffect(() => {
      if (left?.text) text.current.select();
    }, [left]);
    async function copyText(kind, made) {
      leave(null);
      try {
        await navigator.clipboard.writeText(made);
        say(`${kind} copied`);
      } catch {
        leave({ text: made });
        say("selected: press Ctrl+C to copy");
      }
    }
    async function copyImage() {
      leave(null);
      let made = null;
      try {
        made = await image();
        await navigator.clipboard.write([new ClipboardItem({ "image/png": blobOf(made) })]);
        say("PNG copied");
      } catch {
        if (made) leave({ image: made });
        say(made ? "to copy the picture, use its context menu" : `this browser cannot draw the picture as PNG${svg ? "; SVG may work" : ""}`);
      }
    }
    const button = (kind, act) => html`<button onClick=${act} aria-label=${`copy ${name} as ${kind}`}>${kind}</button>`;
    return html`
    <p class="copies">copy: ${rows && button("CSV", () => copyText("CSV", csvText(rows())))} ${svg && button("SVG", () => copyText("SVG", svg()))} ${image && button("PNG", copyImage)} <span role="status">${said}</span></p>
    ${left?.text && html`<textarea class="copied" ref=${text} readonly rows="5" aria-label=${name} value=${left.text}></textarea>`}
    ${left?.image && html`<img class="copied" src=${left.image} alt=${name} />`}
  `;
  }

  // src/parts/callers.js
  var MOST2 = 100;
  function Callers({ browser, experiment, select }) {
    const { calls, flat } = experiment.trees;
    const [first] = selectedPaths(browser, experiment);
    const region = flat.home[first];
    const lines = useMemo(() => reached(browser, experiment, region), [browser, region]);
    const unit = browser.sums.metrics[browser.metrics[0]].unit;
    const of = experiment.head.regions[region];
    const { aggregation } = browser.sums.metrics[browser.metrics[0]];
    const whole2 = lines.reduce((sum2, { value, again }) => sum2 + (again ? 0 : Math.abs(value.amount ?? 0)), 0);
    const share2 = ({ amount: amount3 }) => amount3 === null || !whole2 || aggregation !== "sum" ? "–" : written({ amount: 100 * amount3 / whole2, gap: "" }, "%").text;
    return html`
    <p><b>${of[0]}</b> ${placeOf(of)}: ${lines.length === 1 ? "one call path, with" : `${lines.length} call paths, each with`} its callers, starting from ${calls.labels[calls.root(first)]}. Click a call path to select it.</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${`call paths of ${of[0]}`}>
      <table class="callers">
        <thead><tr><th class="number">${browser.named}</th><th class="number">share</th><th>called by</th></tr></thead>
        <tbody>${lines.slice(0, MOST2).map(
      ({ path, value, above }) => html`<tr key=${path} class=${path === first ? "selected" : ""}>
            <td class="number">${written(value, unit).text}</td><td class="number">${share2(value)}</td>
            <td><button class="link" onClick=${() => select(path)}>${above.length ? above.map((each) => calls.labels[each]).join(" › ") : "nothing: the program starts here"}</button></td>
          </tr>`
    )}</tbody>
      </table>
    </div>
    ${lines.length > MOST2 && html`<p class="remark">and ${lines.length - MOST2} more</p>`}
    <${Copies} name="callers" rows=${() => [[`${browser.named} (${unit})`, "called by"], ...lines.map(({ value, above }) => [value.amount, above.map((each) => calls.labels[each]).join(" › ")])]} />
  `;
  }
  function reached(browser, experiment, region) {
    const { calls, flat } = experiment.trees;
    const closed = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls).up(calls);
    const size = ({ amount: amount3 }) => Math.abs(amount3 ?? 0);
    return [...flat.home.keys()].filter((path) => flat.home[path] === region).map((path) => ({ path, value: closed.value(path, true), above: calls.ancestors(path).reverse() })).map((line) => ({ ...line, again: line.above.some((each) => flat.home[each] === region) })).sort((one, other) => size(other.value) - size(one.value));
  }

  // src/parts/compare.js
  var MOST3 = 50;
  var LEAST = 1e-3;
  function Compare({ difference, metric, inBoth, other, compared, shown, show, select }) {
    const lists = useMemo(() => inBoth ? changes(difference, metric) : null, [difference, metric, inBoth]);
    if (!difference) return html`<p class="remark">This page contains no other experiment to compare with. To create a page with a comparison: <code>autoanalyzer view THIS --against OTHER -o report.html</code></p>`;
    const judged = compared.length > 0 && html`<ul class="compared">${compared.map((each) => html`<li>${each}</li>`)}</ul>`;
    if (!lists) return html`${judged}<p class="remark">${metric} is not in both experiments, or its values cannot be summed.</p>`;
    const { unit, slower, faster, before, gain } = lists;
    const amount3 = (value) => written({ amount: value, gap: "" }, unit).text;
    const share2 = (value, of) => {
      const { text } = written({ amount: Math.abs(100 * value / of), gap: "" }, "%");
      return !of ? "new" : text.startsWith("<") ? text : `${value < 0 ? "+" : "−"}${text}`;
    };
    const several = difference.sums.columns > 1;
    const list = (title, changed, kind) => html`
    <section class="changes">
      <h3>${title}</h3>
      ${changed.length === 0 && html`<p class="remark">none</p>`}
      ${changed.length > 0 && html`<table>
        <thead><tr><th>region</th><th>source</th><th class="number">${other} → here</th><th class="number">change</th><th class="number">in %</th>${several && html`<th class="number">largest value of a ${difference.kind}</th>`}</tr></thead>
        <tbody>${changed.slice(0, MOST3).map(
      (line) => html`<tr key=${line.region}>
            <td><button class="link" onClick=${() => select(line.region)}>${line.name}</button></td><td>${line.place}${line.alike && html` <small class="remark" title="matched by similarity">≈ ${line.alike}</small>`}</td>
            <td class="number">${amount3(line.before)} → ${amount3(line.before - line.gain)}</td>
            <td class=${`number ${kind}`}>${kind === "up" ? "▼" : "▲"} ${amount3(Math.abs(line.gain))}</td><td class="number">${share2(line.gain, line.before)}</td>
            ${several && html`<td class="number">${amount3(line.most[0])} → ${amount3(line.most[1])}</td>`}
          </tr>`
    )}</tbody>
      </table>`}
      ${changed.length > MOST3 && html`<p class="remark">and ${changed.length - MOST3} more</p>`}
    </section>`;
    return html`
    ${judged}
    <p>${metric} of the program, sum of the ranks: ${amount3(before)} in ${other}, ${amount3(before - gain)} here${before && gain ? `, ${share2(gain, before)}` : ""}. Values of regions exclude callees. Changes below 0.1 % are left out${lists.partly ? ", and so are values that are missing in one of the two experiments" : ""}.</p>
    <p><button onClick=${() => show(!shown)}>${shown ? "Show this experiment in the trees" : "Show the difference in the trees"}</button> <span class="remark">${shown ? `The trees show ${other} minus this experiment: ▼ (raised square) marks a decrease, ▲ (sunken square) an increase.` : ""}</span></p>
    ${difference.head.remarks.length > 0 && html`<ul class="caveats">${difference.head.remarks.map((each) => html`<li>${each}</li>`)}</ul>`}
    <div class="lists wide-lists">${list("Slower, or more", slower, "down")}${list("Faster, or less", faster, "up")}</div>
    <${Copies} name="changes" rows=${() => [
      ["region", "source", `${metric} in ${other} (${unit})`, "here", `largest value of a ${difference.kind} in ${other}`, "here"],
      ...[...slower, ...faster].map((line) => [line.name, line.place, line.before, line.before - line.gain, ...line.most])
    ]} />
  `;
  }
  function changes(difference, name) {
    const { head, sums, trees } = difference;
    const metric = head.metrics.findIndex((each) => each.name === name);
    if (metric < 0 || head.metrics[metric].aggregation !== "sum") return null;
    const gains = sums.byPath(metric).atHome(trees.flat).amounts;
    const before = new Float64Array(gains.length);
    for (let path = 0; path < sums.paths; path++) {
      const value = difference.before[metric * sums.paths + path];
      if (value === value) before[trees.flat.home[path]] += value;
    }
    const whole2 = before.reduce((sum2, value) => sum2 + Math.abs(value), 0);
    const alike = new Map(head.alike);
    const lines = head.regions.map((each, region) => ({
      region,
      alike: alike.get(region),
      name: each[0],
      place: placeOf(each),
      before: before[region],
      most: [0, 1].map((side) => difference.most[(2 * metric + side) * head.regions.length + region]),
      // the largest value on any location
      gain: gains[region]
    }));
    const changed = lines.filter(({ gain }) => Math.abs(gain) > LEAST * whole2);
    return {
      unit: head.metrics[metric].unit,
      partly: sums.byPath(metric).gaps.some((gaps) => gaps > 0),
      before: before.reduce((sum2, value) => sum2 + value, 0),
      gain: gains.reduce((sum2, value) => sum2 + value, 0),
      slower: changed.filter(({ gain }) => gain < 0).sort((one, two) => one.gain - two.gain),
      faster: changed.filter(({ gain }) => gain > 0).sort((one, two) => two.gain - one.gain)
    };
  }

  // src/parts/filter.js
  var NAMED = 4;
  function Filter({ text, title, back, end }) {
    return html`<p class="filter" role="status" title=${title}><span>only ${text}</span> <button onClick=${end} aria-label=${back}>✕</button></p>`;
  }
  function namesOf(experiment, locations) {
    const first = locations.slice(0, NAMED).map((each) => experiment.nameOf(each));
    return `${first.join(", ")}${locations.length > NAMED ? ` and ${locations.length - NAMED} more` : ""}`;
  }

  // src/parts/window.js
  var AROUND = 8;
  function useWindow(box, height, anew) {
    const [view, setView] = useState({ from: 0, count: 24 + 2 * AROUND });
    const look = () => {
      if (!box.current) return;
      const { scrollTop, clientHeight } = box.current;
      const from = Math.max(0, Math.floor(scrollTop / height) - AROUND);
      const count2 = Math.ceil(clientHeight / height) + 2 * AROUND;
      setView((seen) => seen.from === from && seen.count === count2 ? seen : { from, count: count2 });
    };
    useLayoutEffect(() => {
      if (!box.current) return void 0;
      look();
      const observer = new ResizeObserver(look);
      observer.observe(box.current);
      return () => observer.disconnect();
    }, anew);
    return [view, look];
  }

  // src/parts/flat_profile.js
  var ROW = 26;
  function FlatProfile({ browser, experiment, select }) {
    const [order, setOrder] = useState({ by: "own", down: true });
    const box = useRef(null);
    const [view, look] = useWindow(box, ROW, []);
    const unit = browser.sums.metrics[browser.metrics[0]].unit;
    const lines = useMemo(() => profile(browser, experiment), [browser, experiment]);
    const sorted = useMemo(() => {
      const sign = order.down ? -1 : 1;
      const compare = (one, other) => typeof one === "string" ? one.localeCompare(other) : (one !== one) - (other !== other) || sign * (one - other);
      return lines.toSorted((one, other) => (typeof one[order.by] === "string" ? sign : 1) * compare(one[order.by], other[order.by]));
    }, [lines, order]);
    const total = browser.summed ? Math.abs(lines.reduce((sum2, { own }) => sum2 + (own === own ? own : 0), 0)) : 0;
    const amount3 = (value) => written({ amount: value === value ? value : null, gap: "–" }, unit).text;
    const percent4 = (value) => total ? written({ amount: value === value ? 100 * value / total : null, gap: "–" }, "%").text : "–";
    const shown = sorted.slice(view.from, view.from + view.count);
    return html`
    <p class="remark">${browser.metrics.map((node) => browser.panes.metrics.tree.labels[node]).join(" + ")} of each region, excluding callees. Minimum, mean and maximum are over the ${experiment.kind}s.</p>
    <div class="scroll" ref=${box} onScroll=${look} tabindex="0" role="region" aria-label="flat profile">
      <table class="profile">
        <thead><tr>
          ${COLUMNS.map(
      ([key, title]) => html`<th key=${key} class=${key === "name" || key === "place" ? "" : "number"} aria-sort=${order.by === key ? order.down ? "descending" : "ascending" : "none"}>
              <button onClick=${() => setOrder({ by: key, down: order.by === key ? !order.down : key !== "name" && key !== "place" })}>${title}${order.by === key ? order.down ? " ▾" : " ▴" : ""}</button>
            </th>`
    )}
        </tr></thead>
        <tbody>
          ${view.from > 0 && html`<tr aria-hidden="true"><td colspan="8" style=${{ height: `${view.from * ROW}px` }}></td></tr>`}
          ${shown.map(
      (line) => html`<tr key=${line.region} class=${browserHas(browser, experiment, line.region) ? "selected" : ""}>
              <td class="number">${amount3(line.own)}</td><td class="number">${percent4(line.own)}</td><td class="number">${amount3(line.closed)}</td>
              <td class="number">${amount3(line.least)}</td><td class="number">${amount3(line.mean)}</td><td class="number">${amount3(line.most)}</td>
              <td><button class="link" onClick=${() => select(line.region)} title=${line.name.slice(0, 300)}>${line.name}</button></td><td>${line.place}</td>
            </tr>`
    )}
          ${view.from + view.count < sorted.length && html`<tr aria-hidden="true"><td colspan="8" style=${{ height: `${(sorted.length - view.from - view.count) * ROW}px` }}></td></tr>`}
        </tbody>
      </table>
    </div>
    <${Copies} name="flat profile" rows=${() => [
      ["region", "source", ...NUMBERS.map((key) => `${new Map(COLUMNS).get(key)} (${unit})`)],
      ...sorted.map((line) => [line.name, line.place, ...NUMBERS.map((key) => line[key])])
    ]} />
  `;
  }
  var NUMBERS = ["own", "closed", "least", "mean", "most"];
  var COLUMNS = [
    ["own", "own"],
    ["own share", "share"],
    ["closed", "with callees"],
    ["least", "min"],
    ["mean", "mean"],
    ["most", "max"],
    ["name", "region"],
    ["place", "source"]
  ];
  function browserHas(browser, experiment, region) {
    const { tree, selected } = browser.panes.program;
    if (tree === experiment.trees.flat) return selected.has(region);
    return [...selected].some((path) => experiment.trees.flat.home[path] === region);
  }
  function profile(browser, experiment) {
    const { flat } = experiment.trees;
    const own = browser.selected((metric) => browser.sums.byPath(metric)).atHome(flat);
    const closed = regionSums(browser, experiment);
    const spread = ranges(browser, flat)?.own;
    return experiment.head.regions.map((each, region) => {
      const value = own.value(region, true);
      const amount3 = value.amount ?? NaN;
      const elsewhere = value.gap === "per rank";
      const [least2, mean, most3] = spread && !elsewhere ? [spread.least[region], spread.mean[region], spread.most[region]] : [NaN, NaN, NaN];
      return { region, name: each[0], place: placeOf(each), own: amount3, "own share": amount3, closed: elsewhere ? NaN : closed[region], least: least2, mean, most: most3 };
    });
  }

  // src/colours.js
  var SIZES = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
  var SIGNS = ["#b2182b", "#f4a582", "#f7f7f7", "#92c5de", "#2166ac"];
  var CLUSTERS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d00", "#7f7f7f"];
  var rgb = (hex) => [1, 3, 5].map((place) => Number.parseInt(hex.slice(place, place + 2), 16));
  function ramp(stops) {
    const steps = stops.map(rgb);
    return (place) => {
      const at = Math.max(0, Math.min(1, place)) * (steps.length - 1);
      const low = Math.min(Math.floor(at), steps.length - 2);
      return steps[low].map((from, part) => Math.round(from + (at - low) * (steps[low + 1][part] - from)));
    };
  }
  var sizeColour = ramp(SIZES);
  var signed = ramp(SIGNS);
  var signColour = (place) => signed((place + 1) / 2);
  var css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;
  function inkOn(colour) {
    const [red, green, blue] = colour.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const behind = 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
    return behind / 0.05 > 1.05 / behind ? "#000" : "#fff";
  }
  var clusterColour = (number) => CLUSTERS[number % CLUSTERS.length];
  var markColour = (number) => CLUSTERS[(number + 1) % CLUSTERS.length];
  var OTHERS = CLUSTERS.at(-1);
  var NAMED2 = CLUSTERS.length - 1;
  var regionColour = (place) => place < NAMED2 ? CLUSTERS[place] : OTHERS;

  // src/parts/canvas.js
  function useDark() {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const [dark, setDark] = useState(scheme.matches);
    useEffect(() => {
      const change = () => setDark(scheme.matches);
      scheme.addEventListener("change", change);
      return () => scheme.removeEventListener("change", change);
    }, []);
    return dark;
  }
  function sized(canvas, width, height) {
    const scale = globalThis.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    return context;
  }
  function hatch(context, x, y, width, height) {
    context.fillStyle = "#ddd";
    context.fillRect(x, y, width, height);
    context.strokeStyle = "#888";
    context.lineWidth = 1;
    context.beginPath();
    for (let at = x; at < x + width; at += 5) {
      context.moveTo(at, y + height);
      context.lineTo(Math.min(at + height, x + width), y);
    }
    context.stroke();
  }
  function frame(context, x, y, width, height) {
    context.strokeStyle = "#e00";
    context.lineWidth = 2;
    context.strokeRect(x, y, width, height);
  }

  // src/parts/scale.js
  var STEPS = 24;
  function Scale({ title, low, high, colour, hatched, neutral }) {
    const places = Array.from({ length: STEPS }, (_, place) => place / (STEPS - 1));
    return html`
    <p class="scale" role="img" aria-label=${`${title}: colours from ${low} to ${high}`}>
      <span>${title}</span> <span>${low}</span>
      <span class="ramp">${places.map((each) => html`<i style=${{ backgroundColor: css(colour(each)) }}></i>`)}</span>
      <span>${high}</span>
      ${hatched && html`<span><i class="hatch"></i> not measured</span>`}
      ${neutral && html`<span><i class="swatch" style=${{ backgroundColor: neutral }}></i>unknown</span>`}
    </p>
  `;
  }

  // src/parts/svg_context.js
  var LETTER = 0.6;
  var escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  var SvgContext = class {
    constructor(width, height) {
      Object.assign(this, { width, height, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "11px system-ui, sans-serif", parts: [], path: "", left: 0, top: 0 });
    }
    translate(x, y) {
      this.left += x;
      this.top += y;
    }
    fillRect(x, y, width, height) {
      this.parts.push(`<rect x="${this.left + x}" y="${this.top + y}" width="${width}" height="${height}" fill="${this.fillStyle}"/>`);
    }
    fillText(text, x, y, most3 = Infinity) {
      const narrow = String(text).length * LETTER * parseFloat(this.font) > most3 ? ` textLength="${most3}" lengthAdjust="spacingAndGlyphs"` : "";
      this.parts.push(`<text x="${this.left + x}" y="${this.top + y}" fill="${this.fillStyle}" style="font: ${escaped(this.font)}"${narrow}>${escaped(text)}</text>`);
    }
    beginPath() {
      this.path = "";
    }
    moveTo(x, y) {
      this.path += `M${this.left + x} ${this.top + y}`;
    }
    lineTo(x, y) {
      this.path += `L${this.left + x} ${this.top + y}`;
    }
    stroke() {
      this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`);
    }
    // Returns the picture as text.
    get text() {
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}"><rect width="100%" height="100%" fill="${background()}"/>${this.parts.join("")}</svg>`;
    }
  };

  // src/parts/heat_map.js
  var MOST_ROWS = 40;
  var CELL = 16;
  var NAMES = 14;
  var TOP = 28;
  var NUMBER = 54;
  var LABELS = 200;
  var SLIGHT = 0.01;
  var WORD = 60;
  var APART = 42;
  function HeatMap({ browser, experiment, clusters, nodes, select }) {
    const canvas = useRef(null);
    const [pointed2, setCell] = useState(null);
    const [relative, setRelative] = useState(false);
    const [width, setWidth] = useState(600);
    const dark = useDark();
    const unit = browser.sums.metrics[browser.metrics[0]].unit;
    const order = useMemo(() => byCluster(experiment, clusters), [experiment, clusters]);
    const map = useMemo(() => cells(browser, nodes, order), [nodes, order]);
    const columns = Math.min(order.length, Math.max(1, Math.floor(width)));
    const there = map.rows.length > 0;
    const height = TOP + map.rows.length * CELL;
    const drawing = { map, columns, width, order, clusters, relative, experiment, unit };
    const cell2 = pointed2 && pointed2.row < map.rows.length && pointed2.column < columns ? pointed2 : null;
    useEffect(() => {
      if (!there) return void 0;
      const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.max(100, contentRect.width)));
      observer.observe(canvas.current.parentElement);
      return () => observer.disconnect();
    }, [there]);
    useEffect(() => {
      if (there) draw(sized(canvas.current, width, height), { ...drawing, cell: cell2, ink: getComputedStyle(canvas.current).color });
    }, [map, columns, width, relative, cell2, dark]);
    if (!there) return html`<p class="remark">There is no map: values of ${browser.metrics.map((node) => browser.panes.metrics.tree.labels[node]).join(", ")} cannot be summed, or are not in this page by location.</p>`;
    const at = (event) => {
      const box = canvas.current.getBoundingClientRect();
      const row = Math.floor((event.clientY - box.top - TOP) / CELL);
      const column = Math.floor((event.clientX - box.left) / box.width * columns);
      return row < 0 || row >= map.rows.length || column < 0 || column >= columns ? null : { row, column };
    };
    const onKeyDown = (event) => {
      const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (event.key === "Enter" && cell2) choose(cell2);
      if (!steps) return;
      event.preventDefault();
      const from = cell2 ?? { row: -steps[0], column: -steps[1] };
      const clip = (value, count2) => Math.max(0, Math.min(count2 - 1, value));
      setCell({ row: clip(from.row + steps[0], map.rows.length), column: clip(from.column + steps[1], columns) });
    };
    const svg = () => {
      const context = new SvgContext(LABELS + width, height);
      [context.font, context.fillStyle] = ["11px system-ui, sans-serif", getComputedStyle(canvas.current).color];
      map.rows.forEach(({ node }, row) => context.fillText(label(browser, node), 0, TOP + row * CELL + 12, LABELS - 8));
      context.translate(LABELS, 0);
      draw(context, { ...drawing, cell: null, ink: context.fillStyle });
      return context.text;
    };
    const choose = ({ row, column }) => select(map.rows[row].node, order.slice(...range(column, columns, order.length)));
    const told2 = cell2 && tell(map, cell2, { browser, experiment, order, columns, unit, clusters });
    return html`
    <div class="map-tools">
      <span class="remark">${map.rows.length < map.all ? `The ${map.rows.length} largest of ${map.all} call paths of the tree above` : "The call paths of the tree above"}; ${order.length} ${experiment.kind}s${clusters.length > 1 ? ", by cluster" : ""}${columns < order.length ? `; each column shows the largest value of ${Math.ceil(order.length / columns)} ${experiment.kind}s` : ""}.</span>
      <label><input type="checkbox" checked=${relative} onChange=${(event) => setRelative(event.currentTarget.checked)} /> relative to the row's mean</label>
    </div>
    <div class="map">
      <ol class="map-names" aria-hidden="true" style=${{ paddingTop: `${TOP}px` }}>${map.rows.map(({ node }) => html`<li key=${node} title=${label(browser, node).slice(0, 300)}>${label(browser, node)}</li>`)}</ol>
      <div class="map-cells">
        <canvas
          ref=${canvas}
          tabindex="0"
          role="img"
          aria-label=${`Ranks and call paths; arrows move, Enter selects. ${told2 ?? ""}`}
          onMouseMove=${(event) => setCell(at(event))}
          onMouseLeave=${() => setCell(null)}
          onClick=${(event) => at(event) && choose(at(event))}
          onKeyDown=${onKeyDown}
        ></canvas>
      </div>
    </div>
    <${Scale} ...${relative ? { title: "relative to the row's mean", low: "more", high: "less", colour: (place) => signColour(2 * place - 1) } : scaleOf(map, unit, browser.named, experiment.head.difference)} hatched=${map.rows.some(({ values }) => values.some((value) => value !== value))} />
    <p class="told" aria-live="polite">${told2 ?? "Point at a cell, or use the arrow keys, to read its value. Click a cell to select its call path and rank."}</p>
    <${Copies} name="map" svg=${svg} rows=${() => [
      [`${browser.named} (${unit})`, ...order.map((location2) => experiment.nameOf(location2))],
      ...map.rows.map(({ node, values }) => [label(browser, node), ...values])
    ]} />
  `;
  }
  function scaleOf({ top, signed: signed2 }, unit, title, gains) {
    const amount3 = (value) => written({ amount: value, gap: "" }, unit).text;
    const low = signed2 ? `${amount3(-top)}${gains ? " (loss)" : ""}` : "0";
    return { title, low, high: `${amount3(top)}${gains ? " (gain)" : ""}`, colour: signed2 ? (place) => signColour(2 * place - 1) : sizeColour };
  }
  var label = (browser, node) => browser.panes.program.tree.labels[node];
  function byCluster(experiment, clusters) {
    const all = Array.from({ length: experiment.sums.columns }, (_, location2) => location2);
    const within = new Set(clusters.flat());
    return [...within, ...all.filter((location2) => !within.has(location2))];
  }
  var range = (column, columns, count2) => [Math.floor(column * count2 / columns), Math.max(Math.floor(column * count2 / columns) + 1, Math.floor((column + 1) * count2 / columns))];
  function cells(browser, nodes, order) {
    const { program } = browser.panes;
    if (!browser.summed || !browser.located) return { rows: [], all: 0 };
    const size = (node) => Math.abs(browser.value("program", node).amount ?? 0);
    const largest = nodes.toSorted((one, other) => size(other) - size(one)).slice(0, MOST_ROWS);
    const rows = nodes.filter((node) => largest.includes(node) && size(node) > 0).map((node) => {
      const paths = program.tree.cells(program.held([node]));
      const { amounts, known } = browser.selected((metric) => browser.sums.fresh(metric, paths));
      return { node, values: order.map((location2) => known[location2] ? amounts[location2] : NaN) };
    });
    const all = rows.flatMap(({ values }) => values).filter((value) => value === value);
    const top = all.reduce((most3, value) => Math.max(most3, Math.abs(value)), 0);
    return { rows, all: nodes.length, top, signed: all.some((value) => value < -SLIGHT * top) };
  }
  function draw(context, { map, columns, width, order, clusters, relative, cell: cell2, experiment, unit, ink }) {
    const wide = width / columns;
    const of = new Map(clusters.flatMap((members, number) => members.map((location2) => [location2, number])));
    const starts = [];
    context.font = "11px system-ui, sans-serif";
    for (let column = 0; column < columns; column++) {
      const number = of.get(order[range(column, columns, order.length)[0]]);
      if (number === void 0 || clusters.length < 2) continue;
      context.fillStyle = clusterColour(number);
      context.fillRect(column * wide, NAMES, wide + 0.5, TOP - NAMES - 2);
      starts[number] ??= column;
    }
    starts.forEach((column, number) => {
      const room = clusters[number].length * width / order.length;
      context.fillStyle = inkOn(rgb(clusterColour(number)));
      context.fillText(`${room > WORD ? "cluster " : ""}${letters(number)}`, column * wide + 2, TOP - 4);
    });
    const every = Math.ceil(APART / wide);
    context.fillStyle = ink;
    for (let column = 0; column < columns; column += every) {
      const name = experiment.nameOf(order[range(column, columns, order.length)[0]]);
      context.fillText(column ? name.split(" ").at(-1) : name, column * wide + 2, NAMES - 4, every * wide - 3);
    }
    map.rows.forEach(({ values }, row) => {
      const known = values.filter((value) => value === value);
      const mean = known.reduce((sum2, value) => sum2 + value, 0) / (known.length || 1);
      const far = known.reduce((most3, value) => Math.max(most3, Math.abs(value - mean)), 0);
      for (let column = 0; column < columns; column++) {
        const value = most2(values, ...range(column, columns, order.length));
        const colour = value !== value ? null : relative ? signColour(far ? (mean - value) / far : 0) : map.signed ? signColour(map.top ? value / map.top : 0) : sizeColour(map.top ? value / map.top : 0);
        if (colour) {
          context.fillStyle = css(colour);
          context.fillRect(column * wide, TOP + row * CELL, wide + 0.5, CELL - 1);
          if (wide < NUMBER) continue;
          context.fillStyle = inkOn(colour);
          context.fillText(written({ amount: value, gap: "" }, unit).text, column * wide + 3, TOP + row * CELL + 12);
        } else hatch(context, column * wide, TOP + row * CELL, wide, CELL - 1);
      }
    });
    if (cell2) frame(context, cell2.column * wide + 1, TOP + cell2.row * CELL, Math.max(3, wide - 2), CELL - 1);
  }
  function most2(values, from, to) {
    let found = NaN;
    for (let place = from; place < to; place++) {
      const value = values[place];
      if (value === value && !(Math.abs(value) <= Math.abs(found))) found = value;
    }
    return found;
  }
  function tell(map, { row, column }, { browser, experiment, order, columns, unit, clusters }) {
    const { node, values } = map.rows[row];
    const [from, to] = range(column, columns, order.length);
    const value = most2(values, from, to);
    const known = values.filter((each) => each === each);
    const mean = known.reduce((sum2, each) => sum2 + each, 0) / (known.length || 1);
    const amount3 = (each) => written({ amount: each === each ? each : null, gap: "not measured" }, unit).text;
    const first = experiment.nameOf(order[from]);
    const who = to - from > 1 ? `largest of ${first} and ${to - from - 1} more` : first;
    const number = clusters.length > 1 ? clusters.findIndex((members) => members.includes(order[from])) : -1;
    return `${label(browser, node)}, ${who}${number >= 0 ? ` (cluster ${letters(number)})` : ""}: ${amount3(value)}; mean of the row ${amount3(mean)}`;
  }

  // src/parts/help.js
  var KEYS = [
    ["↑ ↓", "select the row above, or below; the trees to the right show its values"],
    ["→ ←", "open a node, or go to its first child; close a node, or go to its parent"],
    ["Home End", "go to the first row, or to the last row"],
    ["Enter, Space", "select; with Ctrl, add to the selection; on “n more”, show these rows"],
    ["Tab", "go to the next tree, to the source, or to the tabs"],
    ["/", "search in all three trees; Enter goes to the next match"],
    ["1 – 9, 0, m", "open or close a tab"],
    ["[ ]", "go to the previous finding, or to the next finding"],
    ["→ ← in a chart", "move the cursor; with Shift, select an interval. Enter zooms, Backspace shows all"],
    ["v", "switch values: absolute, or in percent of the program, the selection or the other experiment"],
    ["s", "show or hide the source"],
    ["?", "show this help"],
    ["Esc", "close this help, or the open tab"]
  ];
  function Help({ close }) {
    const box = useRef(null);
    useEffect(() => box.current.showModal(), []);
    return html`
    <dialog ref=${box} onClose=${close} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>${KEYS.map(([keys2, what]) => html`<dt key=${keys2}><kbd>${keys2}</kbd></dt><dd>${what}</dd>`)}</dl>
      <h2>How to read the trees</h2>
      <p>A closed node includes all nodes below it; an open node excludes its children.
      The call tree shows the selected metric. The system tree shows the selected metric at the selected call path.
      A raised square marks a positive value, a sunken square a negative value (in differences, ▼ marks a decrease, ▲ an increase). A hatched square marks a value that was not measured, which is not the same as 0. The sign ~ marks a value that was only partly measured.</p>
      <form method="dialog"><button>Close</button></form>
    </dialog>
  `;
  }

  // src/model/icicle.js
  var Icicle = class {
    constructor(browser, experiment, inverted) {
      const { calls, flat } = experiment.trees;
      this.browser = browser;
      this.calls = calls;
      this.regions = flat.home;
      this.own = browser.selected((metric) => browser.sums.byPath(metric)).atHome(calls);
      this.closed = this.own.up(calls);
      this.sizes = Float64Array.from(this.own.amounts, (amount3) => Math.abs(amount3) || 0);
      this.whole = this.sizes.reduce((sum2, size) => sum2 + size, 0);
      this.inclusive = this.sizes.slice();
      for (let path = calls.length - 1; path >= 0; path--) if (calls.parents[path] >= 0) this.inclusive[calls.parents[path]] += this.inclusive[path];
      this.roots = inverted ? this.#callers("", this.#paths()) : this.#callees("", calls.children(-1));
    }
    #paths() {
      return [...this.sizes.keys()].filter((path) => this.sizes[path] > 0).map((path) => ({ leaf: path, at: path }));
    }
    // Returns the boxes of some call paths, largest first.
    #callees(above, paths) {
      const found = Array.from(paths, (path) => {
        const key = `${above}/${path}`;
        return { key, path, region: this.regions[path], size: this.inclusive[path], value: this.closed.value(path), leaves: null, children: () => this.#callees(key, this.calls.children(path)) };
      });
      return largestFirst(found);
    }
    // Returns the boxes of some callers, largest first. `chains`: call paths whose exclusive values are counted (`leaf`),
    // each with the call path of the caller (`at`).
    #callers(above, chains) {
      const groups = /* @__PURE__ */ new Map();
      for (const chain of chains) {
        const region = this.regions[chain.at];
        if (!groups.has(region)) groups.set(region, []);
        groups.get(region).push(chain);
      }
      const found = [...groups].map(([region, of]) => {
        const key = `${above}/${region}`;
        const leaves = of.map(({ leaf }) => leaf);
        const size = leaves.reduce((sum2, leaf) => sum2 + this.sizes[leaf], 0);
        const largest = of.reduce((one, other) => this.sizes[other.leaf] > this.sizes[one.leaf] ? other : one);
        const further = () => of.map(({ leaf, at }) => ({ leaf, at: this.calls.parents[at] })).filter(({ at }) => at >= 0);
        return { key, path: largest.at, region, size, value: this.#together(leaves), leaves, children: () => this.#callers(key, further()) };
      });
      return largestFirst(found);
    }
    #together(leaves) {
      return leaves.map((leaf) => this.own.at(leaf)).reduce((one, other) => one.plus(other)).value(0);
    }
    // Returns the smallest, mean and largest value of a box over the locations; null if unknown.
    spreadOf({ path, leaves }) {
      const { browser } = this;
      if (leaves === null || leaves.length === 1) {
        const of = ranges(browser, this.calls)?.[leaves ? "own" : "closed"];
        const place = leaves ? leaves[0] : path;
        return of?.known[place] ? { least: of.least[place], mean: of.mean[place], most: of.most[place], count: of.known[place] } : null;
      }
      if (browser.sums.large || !browser.summed || !browser.located) return null;
      const { amounts, known } = browser.selected((metric) => browser.sums.fresh(metric, leaves));
      const values = amounts.filter((_, location2) => known[location2]);
      if (!values.length) return null;
      return { least: values.reduce((one, other) => Math.min(one, other)), mean: values.reduce((sum2, value) => sum2 + value, 0) / values.length, most: values.reduce((one, other) => Math.max(one, other)), count: values.length };
    }
    // Returns the share of the whole that is on call paths with a matching region, and the number of matching regions.
    // `matches`: returns whether a region matches.
    shareOf(matches) {
      const inside = new Uint8Array(this.calls.length);
      const found = /* @__PURE__ */ new Set();
      let size = 0;
      for (let path = 0; path < this.calls.length; path++) {
        const region = this.regions[path];
        const is = matches(region);
        if (is) found.add(region);
        inside[path] = is || this.calls.parents[path] >= 0 && inside[this.calls.parents[path]] ? 1 : 0;
        if (inside[path]) size += this.sizes[path];
      }
      return { share: this.whole ? size / this.whole : 0, regions: found.size };
    }
    // Returns the boxes from a root to the box with a key; empty if there is no such box.
    chainTo(key) {
      const chain = [];
      let among = this.roots;
      while (key && chain.at(-1)?.key !== key) {
        const next = among.find((each) => key === each.key || key.startsWith(`${each.key}/`));
        if (!next) return [];
        chain.push(next);
        among = next.children();
      }
      return chain;
    }
    // Yields all boxes, including narrow ones, each with its chain: the boxes from the root to the box itself.
    *all(boxes = this.roots, above = []) {
      for (const box of boxes) {
        const chain = [...above, box];
        yield { box, chain };
        yield* this.all(box.children(), chain);
      }
    }
    // Returns the visible boxes, each with its place: `row`, and `left` and `wide` in pixels. `key`: the box that is as
    // wide as the picture, like its ancestors above it; null for the whole program. Boxes that are narrower than `least`
    // pixels are left out.
    placed(key, width, least2) {
      const chain = this.chainTo(key);
      const found = chain.slice(0, -1).map((box, row) => ({ ...box, row, left: 0, wide: width, above: chain[row - 1]?.key ?? null }));
      const place = (boxes, row, left, scale, above) => {
        let at = left;
        for (const box of boxes) {
          const wide = box.size * scale;
          if (wide < least2) break;
          found.push({ ...box, row, left: at, wide, above });
          place(box.children(), row + 1, at, scale, box.key);
          at += wide;
        }
      };
      const shown = chain.length ? [chain.at(-1)] : this.roots;
      const size = shown.reduce((sum2, box) => sum2 + box.size, 0);
      if (size) place(shown, Math.max(0, chain.length - 1), 0, width / size, chain.at(-2)?.key ?? null);
      return found;
    }
  };
  var largestFirst = (boxes) => boxes.filter(({ size }) => size > 0).sort((one, other) => other.size - one.size);
  var PathChanges = class _PathChanges {
    // Returns the changes of a sum of metrics; null if a metric is unknown. `terms`: names of the metrics, each with the
    // factor for its values.
    static of(difference, terms) {
      const metrics = terms.map(([name, sign]) => [difference.head.metrics.findIndex((each) => each.name === name), sign]);
      return metrics.some(([metric]) => metric < 0) ? null : new _PathChanges(difference, metrics);
    }
    constructor(difference, metrics) {
      const { calls } = difference.trees;
      const count2 = calls.length;
      this.there = difference.head.there;
      this.own = { gain: new Float64Array(count2), before: new Float64Array(count2), known: new Float64Array(count2) };
      for (const [metric, sign] of metrics) {
        const { amounts, known, gaps } = difference.sums.byPath(metric);
        for (let path = 0; path < count2; path++) {
          this.own.gain[path] += sign * (amounts[path] || 0);
          this.own.before[path] += sign * (difference.before[metric * count2 + path] || 0);
          this.own.known[path] += known[path] || !gaps[path] ? 1 : 0;
        }
      }
      this.closed = Object.fromEntries(Object.entries(this.own).map(([name, values]) => [name, values.slice()]));
      for (const values of Object.values(this.closed)) {
        for (let path = count2 - 1; path >= 0; path--) if (calls.parents[path] >= 0) values[calls.parents[path]] += values[path];
      }
    }
    // Returns the gain of a box, and its value in the other experiment; null if unknown.
    changeOf({ path, leaves }) {
      const [from, paths] = leaves ? [this.own, leaves] : [this.closed, [path]];
      const there = [...new Set(paths.map((each) => this.there[each]))];
      const sum2 = (values) => there.reduce((found, each) => found + values[each], 0);
      return sum2(from.known) ? { gain: sum2(from.gain), before: sum2(from.before) } : null;
    }
  };

  // src/parts/icicle.js
  var ROW2 = 22;
  var LEAST2 = 2;
  var LETTER2 = 6.8;
  var TOP2 = 0.5;
  var [STEP, WIDE] = [0.1, 0.01];
  var PLAIN = [159, 197, 222];
  var NEUTRAL = [170, 178, 188];
  function IcicleTab({ browser, experiment, difference, other, select }) {
    const box = useRef(null);
    const [width, setWidth] = useState(0);
    const [inverted, setInverted] = useState(false);
    const [focus, setFocus] = useState(null);
    const [at, point2] = useState(null);
    const [pattern, setPattern] = useState("");
    const [by, setBy] = useState(difference ? "change" : "imbalance");
    const unit = browser.sums.metrics[browser.metrics[0]].unit;
    const icicle = useMemo(() => browser.summed ? new Icicle(browser, experiment, inverted) : null, [browser.metrics.join(), browser.sums, browser.panes.metrics, experiment, inverted]);
    const changes2 = useMemo(() => difference && PathChanges.of(difference, termsOf(browser)), [difference, browser.panes.metrics]);
    const there = Boolean(icicle?.whole);
    const isDifference = experiment.head.difference;
    const signed2 = experiment.signed || isDifference;
    const wish = signed2 ? "sign" : by === "change" && changes2 ? "change" : "imbalance";
    const { boxes, top, mode } = useMemo(() => icicle && width ? coloured(icicle.placed(focus, width, LEAST2), { icicle, wish, changes: changes2, width }) : { boxes: [], top: STEP, mode: wish }, [icicle, width, focus, wish, changes2]);
    useLayoutEffect(() => {
      if (!box.current) return void 0;
      const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)));
      observer.observe(box.current);
      return () => observer.disconnect();
    }, [there]);
    useEffect(() => point2(null), [icicle, focus]);
    if (!there) return html`<p class="remark">There are no boxes: values of ${browser.named} are 0 or cannot be summed.</p>`;
    const nameOf = ({ region }) => experiment.head.regions[region][0];
    const pathOf = (chain) => (inverted ? chain.toReversed() : chain).map(nameOf).join(" › ");
    const amount3 = (value) => written(value, unit).text;
    const percent4 = (share2) => written({ amount: 100 * share2, gap: "" }, "%").text;
    const looks = (region) => `${experiment.head.regions[region][0]} ${placeOf(experiment.head.regions[region])}`.toLowerCase().includes(pattern.toLowerCase());
    const found = pattern ? icicle.shareOf(looks) : null;
    const current = boxes.find(({ key }) => key === at);
    const told2 = current && tell3(current);
    const selected = new Set(selectedPaths(browser, experiment));
    const focused = icicle.chainTo(focus).length > 0 ? focus : null;
    const go = (each) => {
      setFocus(each.key === focused ? each.above : each.key);
      select(each.path);
    };
    function tell3(each) {
      const spread = icicle.spreadOf(each);
      const place = placeOf(experiment.head.regions[each.region]);
      const ranks = spread?.count > 1 ? `; per ${experiment.kind}: ${[["minimum", "least"], ["mean", "mean"], ["maximum", "most"]].map(([title, what]) => `${title} ${written({ amount: spread[what], gap: "" }, unit).text}`).join(", ")}` : "";
      return `${nameOf(each)}${place ? ` (${place})` : ""}: ${amount3(each.value)}, ${percent4(each.size / icicle.whole)} of ${browser.named}${ranks}${each.said ? `; ${each.said}` : ""}`;
    }
    function onKeyDown(event) {
      if (event.key === "Backspace") setFocus(null);
      else if ((event.key === "Enter" || event.key === " ") && current) go(current);
      else {
        const next = beside(boxes, current, event.key);
        if (next === void 0) return;
        if (next) point2(next.key);
      }
      event.preventDefault();
    }
    const rows = boxes.reduce((most3, { row }) => Math.max(most3, row + 1), 1);
    const titles = { imbalance: `imbalance of the ${experiment.kind}s: how far the mean is below the largest value`, change: `change since ${other}`, sign: isDifference ? "sum of the changes in each box" : "sum of the values in each box" };
    const [low, high] = mode === "change" ? ["more, slower", "less, faster"] : isDifference ? ["losses", "gains"] : ["less than 0", "more than 0"];
    const scale = mode === "imbalance" ? { low: "0", high: `${percent4(top)} or more`, colour: sizeColour } : { low, high, colour: (place) => signColour(2 * place - 1) };
    return html`
    <div class="map-tools">
      <label><input type="checkbox" checked=${inverted} onChange=${(event) => {
      setInverted(event.currentTarget.checked);
      setFocus(null);
    }} /> inverted: callers below</label>
      ${changes2 && !signed2 && html`<label>colour <select value=${wish} onChange=${(event) => setBy(event.currentTarget.value)}><option value="imbalance">imbalance</option><option value="change">change since ${other}</option></select></label>`}
      <label>highlight <input type="search" value=${pattern} onInput=${(event) => setPattern(event.currentTarget.value)} /></label>
      <button aria-disabled=${!focused} onClick=${() => setFocus(null)}>the whole program</button>
      <span class="remark" role="status">${found && (found.regions ? `${found.regions} region${found.regions === 1 ? "" : "s"}, with callees ${percent4(found.share)} of ${browser.named}` : "no region's name contains this text")}</span>
    </div>
    <p class="remark">Width: ${browser.named}, ${inverted ? "excluding callees in the first row, and divided among callers below" : "including callees, which are below"}. Boxes narrower than ${LEAST2} pixels are left out.</p>
    <div class="icicle-room" ref=${box}>
      <svg class="icicle" width=${width} height=${rows * ROW2} role="img" tabindex="0" onMouseLeave=${() => point2(null)} onKeyDown=${onKeyDown}
        aria-label=${`Call paths by ${browser.named}; arrows move, Enter shows a box in full width, Backspace shows all. ${told2 ?? ""}`}>
        ${boxes.map((each) => html`<g key=${each.key} class=${`${each.key === at ? "at" : ""} ${selected.has(each.path) && !inverted ? "selected" : ""} ${pattern && !looks(each.region) ? "faint" : ""}`}
          onMouseEnter=${() => point2(each.key)} onClick=${() => go(each)}>
          <rect x=${each.left} y=${each.row * ROW2} width=${each.wide - 1} height=${ROW2 - 1} fill=${css(each.colour)} />
          <text x=${each.left + 4} y=${each.row * ROW2 + 15} fill=${inkOn(each.colour)}>${fitted(`${nameOf(each)}  ${amount3(each.value)}`, each.wide)}</text>
        </g>`)}
      </svg>
    </div>
    ${mode !== "plain" && html`<${Scale} title=${titles[mode]} ...${scale} neutral=${boxes.some(({ colour }) => colour === NEUTRAL) && css(NEUTRAL)} />`}
    <p class="told" aria-live="polite">${told2 ?? "Point at a box, or use the arrow keys, to read its values. Click a box to select its call path and show it in full width."}</p>
    <${Copies} name="icicle" svg=${() => svgText(box.current.querySelector("svg"))} rows=${() => [
      ["call path", "depth", `${browser.named} (${unit})`, "share of the program"],
      ...Array.from(icicle.all(), ({ box: each, chain }) => [pathOf(chain), chain.length - 1, each.value.amount, each.size / icicle.whole])
    ]} />
  `;
  }
  var termsOf = (browser) => browser.metrics.flatMap((metric) => [[browser.sums.metrics[metric].name, 1], ...browser.partsOf(metric).map((part) => [browser.sums.metrics[part].name, -1])]);
  function fitted(text, wide) {
    const room = Math.floor((wide - 10) / LETTER2);
    return text.length <= room ? text : room > 2 ? `${text.slice(0, room - 1)}…` : "";
  }
  function coloured(boxes, { icicle, wish, changes: changes2, width }) {
    const spreads = wish === "imbalance" ? boxes.map((box) => icicle.spreadOf(box)) : [];
    const mode = wish === "imbalance" && !spreads.some((spread) => spread?.count > 1) ? "plain" : wish;
    const imbalances = spreads.map(imbalanceOf);
    const largest = boxes.reduce((most3, { wide }, place) => wide >= WIDE * width ? Math.max(most3, imbalances[place] || 0) : most3, 0);
    const top = STEP * Math.max(1, Math.ceil(largest / STEP));
    return { top, mode, boxes: boxes.map((box, place) => ({ ...box, ...colourOf(mode, box, { changes: changes2, top, imbalance: imbalances[place] }) })) };
  }
  var imbalanceOf = (spread) => spread?.count > 1 && spread.most > 0 ? Math.max(0, 1 - spread.mean / spread.most) : NaN;
  function colourOf(mode, box, { changes: changes2, imbalance, top }) {
    if (mode === "plain") return { colour: PLAIN, said: "" };
    if (mode === "sign") return { colour: signColour((box.value.amount ?? 0) / box.size), said: "" };
    if (mode === "change") {
      const change = changes2.changeOf(box);
      if (!change || !(change.gain || change.before)) return { colour: NEUTRAL, said: "change unknown" };
      const { gain, before } = change;
      const said = before ? `change ${gain < 0 ? "+" : "−"}${written({ amount: Math.abs(100 * gain / before), gap: "" }, "%").text}` : "new";
      return { colour: signColour((before ? gain / Math.abs(before) : -1) / TOP2), said };
    }
    if (imbalance !== imbalance) return { colour: NEUTRAL, said: "" };
    return { colour: sizeColour(imbalance / top), said: `imbalance ${written({ amount: 100 * imbalance, gap: "" }, "%").text}` };
  }
  function beside(boxes, from, key) {
    if (!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(key)) return void 0;
    if (!from) return boxes[0] ?? null;
    if (key === "ArrowUp") return boxes.find((each) => each.key === from.above) ?? null;
    if (key === "ArrowDown") return boxes.find((each) => each.above === from.key) ?? null;
    const row = boxes.filter((each) => each.row === from.row);
    return row[row.indexOf(from) + (key === "ArrowRight" ? 1 : -1)] ?? null;
  }

  // src/parts/legend.js
  var STEPS2 = 24;
  function Legend({ legend, signed: signed2, gains }) {
    if (!legend) return html`<div class="legend remark">These values cannot be summed.</div>`;
    const amount3 = (value) => written({ amount: value, gap: "" }, legend.unit).text;
    return html`
    <div class="legend" aria-label=${`colours from 0 to ${amount3(legend.top)}`} role="img">
      <span>0</span>
      <span class="ramp">${Array.from({ length: STEPS2 }, (_, place) => html`<i style=${{ backgroundColor: css(sizeColour(place / (STEPS2 - 1))) }}></i>`)}</span>
      <span>${amount3(legend.top)}</span>
      ${(signed2 || gains) && html`<span class="signs"><span class="up">${gains ? "▼ less" : "▲ more than 0"}</span> <span class="down">${gains ? "▲ more" : "▼ less than 0"}</span></span>`}
    </div>
  `;
  }

  // src/parts/made.js
  var ABSENT = {
    counters: html`<p class="remark">This page has no statistics: they need at least three locations and a few metrics; <code>autoanalyzer stats EXPERIMENT correlation</code> shows details.</p>`,
    account: html`<p class="remark">This page has no account. Only the pages of runs with at most 10,000 locations contain an account; <code>autoanalyzer analyze EXPERIMENT --account</code> prints the account of any run.</p>`
  };
  var OF_DIFFERENCE = html`<p class="remark">A difference has neither statistics nor an account; the page of each run shows them.</p>`;
  function Made({ name, difference }) {
    const box = useRef(null);
    useLayoutEffect(() => {
      const made = document.getElementById(name);
      if (!made) return void 0;
      const home = made.parentElement;
      made.hidden = false;
      box.current.append(made);
      addAllCopies(made);
      return () => {
        made.hidden = true;
        home.append(made);
      };
    }, [name]);
    return document.getElementById(name) ? html`<div ref=${box}></div>` : difference ? OF_DIFFERENCE : ABSENT[name];
  }
  var REAL = ":is(svg.chart, .ranks svg)";
  function addAllCopies(part) {
    for (const mark of part.querySelectorAll(".mark .marks > div")) addCopies(mark, mark.closest(".mark").querySelector("h2, h3").textContent);
  }
  function addCopies(part, name) {
    if (part.querySelector(".copies")) return;
    const [svg, tables] = [part.querySelector(REAL), [...part.querySelectorAll("table")]];
    if (!svg && !tables.length) return;
    const rows = () => tables.flatMap((table) => [...table.rows].map((row) => [...row.cells].map(saidIn)));
    const place = document.createElement("div");
    part.append(place);
    render(html`<${Copies} name=${name} svg=${svg && (() => svgText(svg))} rows=${tables.length > 0 && rows} />`, place);
  }
  var saidIn = (cell2) => cell2.querySelector("svg") ? [...cell2.querySelectorAll("title")].map((each) => each.textContent).join("; ") : cell2.textContent;

  // src/parts/messages.js
  var ROOM = 900;
  var LARGEST = 60;
  var NUMBERED = 50;
  var [LEFT, TOP3, RIGHT, BOTTOM] = [64, 36, 30, 12];
  var APART2 = 38;
  var MOST_SHAPES = 65536;
  var UNITS = { bytes: "bytes", messages: "occ", wait: "sec" };
  function Messages({ experiment, select }) {
    const canvas = useRef(null);
    const matrix = useMemo(() => matrixOf(experiment), [experiment]);
    const [by, setBy] = useState(() => Object.keys(UNITS).find((each) => matrix?.tops[each]) ?? "bytes");
    const [place, setPlace] = useState(null);
    const dark = useDark();
    const drawing = { matrix, by, place };
    useEffect(() => {
      if (canvas.current) draw2(sized(canvas.current, matrix.width, matrix.height), { ...drawing, ink: getComputedStyle(canvas.current).color });
    }, [matrix, by, place, dark]);
    if (!matrix) return html`<p class="remark">There is no communication matrix: ${experiment.head.noMessages}.</p>`;
    const { blocks, size, name, waits, signed: signed2 } = matrix;
    const at = (event) => {
      const box = canvas.current.getBoundingClientRect();
      const [receiver, sender] = [Math.floor((event.clientX - box.left - LEFT) / size), Math.floor((event.clientY - box.top - TOP3) / size)];
      return sender < 0 || receiver < 0 || sender >= blocks || receiver >= blocks ? null : { sender, receiver };
    };
    const onKeyDown = (event) => {
      const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (event.key === "Enter" && place) choose(place);
      if (!step) return;
      event.preventDefault();
      const clip = (value) => Math.max(0, Math.min(blocks - 1, value));
      setPlace((from) => from ? { sender: clip(from.sender + step[0]), receiver: clip(from.receiver + step[1]) } : { sender: 0, receiver: 0 });
    };
    const choose = ({ sender, receiver }) => {
      const chosen2 = experiment.head.large ? [] : experiment.head.locations.flatMap(([process2], location2) => [sender, receiver].includes(matrix.blockOf(process2)) ? [location2] : []);
      if (chosen2.length) select(chosen2);
    };
    const svg = () => {
      const context = new SvgContext(matrix.width, matrix.height);
      draw2(context, { ...drawing, place: null, ink: getComputedStyle(canvas.current).color });
      return context.text;
    };
    const told2 = place && tell2(matrix, place);
    const [canChoose, both] = [!experiment.head.large, matrix.perBlock > 1 ? "the ranks of both blocks" : "both ranks"];
    const top = matrix.tops[by];
    const few = matrix.pairs <= MOST_SHAPES;
    return html`
    <div class="map-tools">
      <label>colour <select value=${by} onChange=${(event) => setBy(event.currentTarget.value)}>
        <option value="bytes">bytes</option><option value="messages">messages</option>${waits && html`<option value="wait">waiting time of the receiver</option>`}
      </select></label>
      <span class="remark">${summary(matrix)}</span>
    </div>
    <div class="grid"><canvas ref=${canvas} tabindex="0" role="img" aria-label=${`Messages by sender and receiver; arrows move${canChoose ? `, Enter selects ${both}` : ""}. ${told2 ?? ""}`}
      onMouseMove=${(event) => setPlace(at(event))} onMouseLeave=${() => setPlace(null)} onClick=${(event) => at(event) && choose(at(event))} onKeyDown=${onKeyDown}></canvas></div>
    <${Scale} title=${by === "wait" ? "waiting time of the receiver" : by} low=${signed2 ? `${amount2(-top, by)} (more)` : "0"} high=${`${amount2(top, by)}${signed2 ? " (less)" : ""}`} colour=${(share2) => colourOf2(matrix, signed2 ? 2 * share2 - 1 : share2)} />
    <p class="told" aria-live="polite">${told2 ?? `Point at a cell, or use the arrow keys, to read its values.${canChoose ? ` Click a cell to select ${both}.` : ""} Pairs without ${signed2 ? "a change" : "messages"} are blank.`}</p>
    ${!waits && html`<p class="remark">How long receivers waited is unknown, because the critical path was not recorded.</p>`}
    <${Copies} name="communication matrix" svg=${few && svg} image=${few ? void 0 : () => imageOfAll([{ title: by, canvas: canvas.current }])} rows=${() => [
      ["sender", "receiver", "messages", "bytes", ...waits ? ["wait (s)"] : []],
      ...Array.from({ length: matrix.pairs }, (_, pair) => [name(matrix.senders[pair]), name(matrix.receivers[pair]), matrix.values.messages[pair], matrix.values.bytes[pair], ...waits ? [matrix.values.wait[pair]] : []])
    ]} />
  `;
  }
  var colourOf2 = ({ signed: signed2 }, share2) => signed2 ? signColour(share2) : sizeColour(share2);
  var amount2 = (value, by) => written({ amount: value, gap: "" }, UNITS[by]).text;
  function matrixOf({ head, messages }) {
    if (!messages) return null;
    const { ranks, perBlock, waits, besides } = head.messages;
    const pairs = messages.length / (waits ? 5 : 4);
    const column = (number) => messages.subarray(number * pairs, (number + 1) * pairs);
    const values = { messages: column(2), bytes: column(3), ...waits && { wait: column(4) } };
    const blocks = Math.ceil(ranks / perBlock);
    const size = Math.max(1, Math.min(LARGEST, Math.floor(ROOM / blocks)));
    const [senders, receivers] = [column(0), column(1)];
    const places = new Map(Array.from(senders, (sender, pair) => [sender * blocks + receivers[pair], pair]));
    const name = (block) => {
      const [first, last] = [block * perBlock, Math.min((block + 1) * perBlock, ranks) - 1];
      return first === last ? String(first) : `${first}-${last}`;
    };
    return {
      ...{ ranks, perBlock, waits, besides, pairs, values, blocks, size, senders, receivers, name, signed: head.difference },
      tops: Object.fromEntries(Object.entries(values).map(([key, all]) => [key, all.reduce((most3, value) => Math.max(most3, Math.abs(value)), 0)])),
      sums: Object.fromEntries(Object.entries(values).map(([key, all]) => [key, all.reduce((sum2, value) => sum2 + value, 0)])),
      blockOf: (rank) => Math.floor(rank / perBlock),
      pairAt: ({ sender, receiver }) => places.get(sender * blocks + receiver),
      width: LEFT + blocks * size + RIGHT,
      height: TOP3 + blocks * size + BOTTOM
    };
  }
  function messagesOf(count2) {
    const said = amount2(count2, "messages");
    return `${said} ${said === "1" ? "message" : "messages"}`;
  }
  function summary({ sums, pairs, ranks, perBlock, waits, besides, signed: signed2 }) {
    const whose = perBlock > 1 ? `blocks of ${perBlock} of ${ranks} ranks` : `${ranks} ranks`;
    const waited = waits ? `; receivers waited ${amount2(sums.wait, "wait")}` : "";
    return `${signed2 ? "Before minus after: " : ""}${messagesOf(sums.messages)}, ${amount2(sums.bytes, "bytes")}, in point-to-point calls between ${pairs} ${pairs === 1 ? "pair" : "pairs"} of ${whose}${waited}; ${besides}.`;
  }
  function tell2({ pairAt, values, name, perBlock, waits, signed: signed2 }, place) {
    const [pair, noun] = [pairAt(place), perBlock > 1 ? "ranks" : "rank"];
    const who = `${noun} ${name(place.sender)} to ${noun} ${name(place.receiver)}`;
    if (pair === void 0) return `${who}: ${signed2 ? "no change" : "no messages"}`;
    const [count2, bytes] = [values.messages[pair], values.bytes[pair]];
    const each = count2 && !signed2 ? ` (${amount2(bytes / count2, "bytes")} each)` : "";
    return `${who}${signed2 ? ", before minus after" : ""}: ${messagesOf(count2)}, ${amount2(bytes, "bytes")}${each}${waits ? `; the receiver waited ${amount2(values.wait[pair], "wait")}` : ""}`;
  }
  function stepFrom(least2) {
    for (let power3 = 1; ; power3 *= 10) for (const digit of [1, 2, 5]) if (digit * power3 >= least2) return digit * power3;
  }
  function draw2(context, { matrix, by, place, ink }) {
    const { blocks, size, perBlock, senders, receivers, values, tops } = matrix;
    const [right, bottom] = [LEFT + blocks * size, TOP3 + blocks * size];
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = ink;
    context.fillText("receiver", LEFT, 11);
    context.fillText("sender", 2, TOP3 - 5);
    for (let block = 0, step = stepFrom(APART2 / size); block < blocks; block += step) {
      const rank = String(block * perBlock);
      context.fillText(rank, LEFT + block * size + 1, TOP3 - 5);
      context.fillText(rank, 8, TOP3 + block * size + Math.max(10, size / 2 + 4), LEFT - 12);
    }
    for (let pair = 0; pair < senders.length; pair++) {
      const [value, x, y] = [values[by][pair], LEFT + receivers[pair] * size, TOP3 + senders[pair] * size];
      const colour = colourOf2(matrix, tops[by] ? value / tops[by] : 0);
      context.fillStyle = css(colour);
      context.fillRect(x, y, size > 4 ? size - 1 : size, size > 4 ? size - 1 : size);
      if (size < NUMBERED) continue;
      context.fillStyle = inkOn(colour);
      context.fillText(amount2(value, by), x + 3, y + size / 2 + 4, size - 6);
    }
    context.strokeStyle = ink;
    context.lineWidth = 1;
    context.beginPath();
    for (const [fromX, fromY, toX, toY] of [[LEFT, TOP3, right, TOP3], [right, TOP3, right, bottom], [right, bottom, LEFT, bottom], [LEFT, bottom, LEFT, TOP3]]) {
      context.moveTo(fromX - 0.5, fromY - 0.5);
      context.lineTo(toX - 0.5, toY - 0.5);
    }
    context.stroke();
    if (place) frame(context, LEFT + place.receiver * size + 1, TOP3 + place.sender * size + 1, Math.max(3, size - 3), Math.max(3, size - 3));
  }

  // src/model/time_lines.js
  var ROWS = 20;
  var FEW = 1e3;
  var TimeLines = class {
    // `read` returns a promise of the numbers stored under a key.
    constructor(head, read) {
      this.head = head;
      this.steps = head.steps;
      [this.start, this.end] = head.edges;
      this.step = (this.end - this.start) / this.steps;
      this.fine = head.fine;
      this.edges = Float64Array.from({ length: this.steps + 1 }, (_, place) => place < this.steps ? this.start + place * this.step : this.end);
      this.units = new Map(head.metrics.map(({ name, unit }) => [name, unit]));
      this.numbers = /* @__PURE__ */ new Map();
      this.read = read;
    }
    // Loads the regions and some metrics, unless they are already loaded.
    async load(metrics) {
      this.regions ??= await this.read(`${this.head.key} regions`);
      for (const name of metrics) {
        if (this.numbers.has(name)) continue;
        const all = await this.read(`${this.head.key} ${name}`);
        const [least2, mean, most3] = [0, 1, 2].map((part) => all.subarray(part * this.steps, (part + 1) * this.steps));
        this.numbers.set(name, { least: least2, mean, most: most3 });
      }
    }
    has(metrics) {
      return this.regions !== void 0 && metrics.every((name) => this.numbers.has(name));
    }
    // Returns the metrics to show initially.
    get first() {
      return this.head.first.map((place) => this.head.metrics[place].name);
    }
    // Returns the time step that contains a moment.
    stepAt(time) {
      return Math.max(0, Math.min(this.steps - 1, Math.floor((time - this.start) / this.step)));
    }
    middle(step) {
      return (this.edges[step] + this.edges[step + 1]) / 2;
    }
    // Returns the first step that is at least half inside a range, and the step after the last such step.
    stepsOf([start2, end]) {
      const first = this.stepAt(start2 + this.step / 2);
      return [first, Math.max(first, this.stepAt(end - this.step / 2)) + 1];
    }
    // Returns the time at which a part of a step begins.
    beginOf(part) {
      return part < this.steps * this.fine ? this.start + part * this.step / this.fine : this.end;
    }
    // Returns the index of a row's main call path, the one with the most time, in a part of a step; -1 for several short
    // call paths, NaN if there is none.
    pathAt(row, part) {
      return this.regions[row * this.steps * this.fine + part];
    }
    // Returns the most frequent main call path of a row in some parts of steps.
    mostMet(row, [from, to]) {
      const met = /* @__PURE__ */ new Map();
      for (let part = from; part < to; part++) met.set(this.pathAt(row, part), (met.get(this.pathAt(row, part)) ?? 0) + 1);
      return [...met].sort(([, one], [, other]) => other - one)[0][0];
    }
    nameOf(path) {
      return path >= 0 ? this.head.paths[path].name : path < 0 ? "several short regions" : "no region";
    }
    // Returns the smallest, mean and largest value in some steps, and the times of the smallest and the largest value.
    summary(name, [from, to]) {
      const { least: least2, mean, most: most3 } = this.numbers.get(name);
      const found = { least: NaN, leastAt: NaN, mean: NaN, most: NaN, mostAt: NaN };
      let [sum2, known] = [0, 0];
      for (let step = from; step < to; step++) {
        if (mean[step] !== mean[step]) continue;
        sum2 += mean[step];
        known++;
        if (!(least2[step] >= found.least)) [found.least, found.leastAt] = [least2[step], this.middle(step)];
        if (!(most3[step] <= found.most)) [found.most, found.mostAt] = [most3[step], this.middle(step)];
      }
      return known ? { ...found, mean: sum2 / known } : found;
    }
    // Returns the rows of a table that describes the charts: spans of steps, each with its main region.
    table(metrics, [from, to]) {
      const count2 = Math.min(ROWS, to - from);
      return Array.from({ length: count2 }, (_, row) => {
        const steps = [from + Math.floor(row * (to - from) / count2), from + Math.floor((row + 1) * (to - from) / count2)];
        return { start: this.edges[steps[0]], end: this.edges[steps[1]], region: this.nameOf(this.mostMet(0, steps.map((step) => step * this.fine))), values: metrics.map((name) => this.summary(name, steps)) };
      });
    }
    // Returns each call path's share of the time in some parts of steps, largest first. The row of all locations counts
    // only if it is the only row.
    shares([from, to] = [0, this.steps * this.fine]) {
      const found = new Float64Array(this.head.paths.length);
      const { length } = this.head.rows;
      const first = length > 1 ? 1 : 0;
      for (let row = first; row < length; row++) {
        for (let part = from; part < to; part++) {
          const path = this.pathAt(row, part);
          if (path >= 0) found[path]++;
        }
      }
      const all = (length - first) * (to - from);
      return [...found].map((count2, path) => ({ path, share: count2 / all })).sort((one, other) => other.share - one.share);
    }
    // Returns whether the time lines are of the run of the profile, with a row per location and call paths of the trees.
    get isInTrees() {
      const { isOfProfile, members, paths } = this.head;
      return isOfProfile && members.every(({ length }) => length < 2) && paths.some(({ node }) => node !== null);
    }
    // Returns the seconds of an interval by call path of the profile and location, in which each part of a step counts for
    // its main call path, and the seconds of the parts in which this is unknown. NaN for locations without a time line.
    secondsIn([start2, end], paths, locations) {
      const seconds2 = new Float64Array(paths * locations).fill(NaN);
      const { paths: met, members } = this.head;
      const placeOf2 = (time) => (time - this.start) / this.step * this.fine;
      const [first, last] = [placeOf2(start2), placeOf2(end)];
      let rest = 0;
      for (const [row, [location2]] of members.entries()) {
        if (location2 === void 0) continue;
        for (let path = 0; path < paths; path++) seconds2[path * locations + location2] = 0;
        for (let part = Math.floor(first); part < last; part++) {
          const took = (Math.min(part + 1, last) - Math.max(part, first)) * this.step / this.fine;
          const path = this.pathAt(row, part);
          const node = met[path]?.node ?? null;
          if (node !== null) seconds2[node * locations + location2] += took;
          else if (path === path) rest += took;
        }
      }
      return { seconds: seconds2, rest };
    }
    // Returns a moment in seconds as text, with the number of decimals that steps of a given size justify.
    moment(time, size = this.step) {
      return time.toFixed(decimals(size));
    }
    // Returns an interval in the notation of commands. It is rounded inwards, so that it is inside the trace.
    span([start2, end]) {
      const places = decimals(this.step);
      const size = 10 ** places;
      const digits2 = (value) => (value / size).toFixed(places);
      return `${digits2(Math.ceil(start2 * size - 1e-6))}:${digits2(Math.floor(end * size + 1e-6))}`;
    }
    // Returns whether commands accept a metric; they do not accept the times of a region's entries.
    inCommands(name) {
      return this.head.metrics.some((each) => each.name === name && each.word !== null);
    }
    // Returns commands for a terminal, each with its title, that show more about a metric in an interval.
    commands(metric, range2) {
      const { word, metrics } = this.head;
      const named = metrics.find(({ name }) => name === metric).word;
      return [
        ["the same interval in another run", `autoanalyzer align --metric ${named} --interval ${this.span(range2)} ${word} OTHER`],
        ["metrics that change with this metric", `autoanalyzer correlate --target ${named} --interval ${this.span(range2)} ${word}`]
      ];
    }
  };
  var decimals = (step) => Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(step))));
  function titleOf(name, unit) {
    const of = unit.replace(/\/sec$/, "");
    return `${name}${isWritten(of) ? "" : `, ${of}`}${of === unit ? "" : " per second"}`;
  }
  function rate(value, unit) {
    if (value === value && unit === "sec/sec") return String(Number(value.toFixed(3)));
    if (unit === "occ/sec" && value < FEW) return `${Number(value.toPrecision(3))}/s`;
    const of = unit.endsWith("/sec") ? unit.slice(0, -4) : unit;
    return value === value ? `${amount(value, of)}${of === unit ? "" : "/s"}` : "not known";
  }

  // src/model/rates.js
  var LEAST3 = 1e-3;
  var OPERATIONS2 = {
    "+": (one, other) => one + other,
    "-": (one, other) => other === void 0 ? -one : one - other,
    "*": (one, other) => one * other,
    "/": (one, other) => one / other,
    "**": (one, other) => one ** other,
    abs: Math.abs,
    sqrt: Math.sqrt,
    log: Math.log,
    min: Math.min,
    max: Math.max
  };
  function evaluate2(tree, valueOf) {
    if (typeof tree === "number") return tree;
    if (typeof tree === "string") return valueOf(tree);
    const [operator, ...operands] = tree;
    return OPERATIONS2[operator](...operands.map((each) => evaluate2(each, valueOf)));
  }
  var whole = ({ amount: amount3, gap }) => gap ? NaN : amount3;
  function ratesOf(experiment) {
    const { head, sums, trees } = experiment;
    const metrics = new Map(head.metrics.map(({ name }, place) => [name, place]));
    const own = /* @__PURE__ */ new Map();
    const columnOf = (name) => {
      if (!own.has(name)) own.set(name, sums.byPath(metrics.get(name)).atHome(trees.flat));
      return own.get(name);
    };
    return head.regions.map((_, region) => {
      const found = /* @__PURE__ */ new Map();
      const valueOf = (name) => found.has(name) ? found.get(name) : metrics.has(name) ? whole(columnOf(name).value(region)) : NaN;
      for (const { name, tree } of head.roofline.derived) {
        const value = evaluate2(tree, valueOf);
        found.set(name, Number.isFinite(value) ? value : NaN);
      }
      return { region, valueOf };
    });
  }
  function writtenRate(value, unit) {
    if (value !== value) return "–";
    if (unit.endsWith("/sec")) return rate(value, unit);
    return value && value < LEAST3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  }

  // src/parts/roofline.js
  var [WIDE2, HIGH] = [860, 430];
  var [LEFT2, RIGHT2, TOP4, BOTTOM2] = [70, 20, 14, 46];
  var LEAST4 = 5e-3;
  var [SMALLEST, LARGEST2] = [4, 26];
  var [NAMED3, MOST_NAMED, LONGEST] = [0.03, 5, 40];
  var DASHES = ["", "10 4", "2 4", "10 3 2 3"];
  function Roofline({ experiment, selected, select }) {
    const { roofline } = experiment.head;
    const regions = useMemo(() => roofline && regionsOf(experiment), [experiment]);
    if (!roofline) return html`<p class="remark">A difference has no rates; the page of each run shows its rates.</p>`;
    const units = new Map(roofline.derived.map(({ name, unit }) => [name, unit]));
    const listed = roofline.derived.filter(({ name, listed: listed2 }) => listed2 && regions.some(({ valueOf }) => valueOf(name) === valueOf(name)));
    return html`
    ${roofline.charts.map((chart) => html`<${Chart} key=${chart.title} chart=${chart} regions=${regions} units=${units} selected=${selected} select=${select} />`)}
    ${roofline.lacking.map((line) => html`<p class="remark">${line}</p>`)}
    ${listed.length > 0 && html`<${Rates} listed=${listed} regions=${regions} selected=${selected} select=${select} />`}
  `;
  }
  function regionsOf(experiment) {
    const { time } = experiment.head.roofline;
    const found = ratesOf(experiment).map(({ region, valueOf }) => ({ region, valueOf, time: time && valueOf(time) || 0, name: experiment.head.regions[region][0], place: placeOf(experiment.head.regions[region]) }));
    const total = found.reduce((sum2, { time: time2 }) => sum2 + Math.max(0, time2), 0);
    return found.map((each) => ({ ...each, share: total ? each.time / total : 0 })).filter(({ share: share2 }) => share2 >= LEAST4).toSorted((one, other) => other.share - one.share);
  }
  var percent2 = (share2) => written({ amount: 100 * share2, gap: "" }, "%").text;
  function Chart({ chart, regions, units, selected, select }) {
    const [at, point2] = useState(null);
    const picture = useRef(null);
    const points2 = useMemo(() => regions.map((each) => ({ ...each, x: each.valueOf(chart.intensity), y: each.valueOf(chart.rate) })).filter(({ x, y }) => x > 0 && y > 0), [chart, regions]);
    const frame2 = useMemo(() => frameOf(chart, points2), [chart, points2]);
    const rate2 = (value) => writtenRate(value, units.get(chart.rate) ?? "occ/sec");
    const said = ({ name, place, share: share2, x, y }) => `${name}${place ? ` (${place})` : ""}, ${percent2(share2)} of the time: ${rate2(y)}, ${writtenRate(x, "")} per byte${bound(chart, x, y)}`;
    const told2 = points2[at] ? said(points2[at]) : null;
    const onKeyDown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" && points2[at]) select(points2[at].region);
      if (!step || !points2.length) return;
      event.preventDefault();
      point2(at === null ? 0 : Math.max(0, Math.min(points2.length - 1, at + step)));
    };
    const missing = regions.length - points2.length;
    return html`
    <h3>${chart.title}</h3>
    <p class="remark">Each point is a region, excluding callees; larger points take more time. Rates are per core. Vertical: ${chart.work} per second; horizontal: ${chart.work} per byte.${missing > 0 && ` ${missing} of ${regions.length} regions ${missing > 1 ? "are" : "is"} not drawn, because ${chart.work} or misses are 0, or unknown on some ranks.`}</p>
    ${chart.said.map((line) => html`<p class="remark">${line}</p>`)}
    <div class="grid"><svg class="roofline" ref=${picture} viewBox=${`0 0 ${WIDE2} ${HIGH}`} role="img" tabindex="0" aria-label=${`${chart.title}; arrows move from region to region, Enter selects. ${told2 ?? ""}`} onKeyDown=${onKeyDown} onMouseLeave=${() => point2(null)}>
      <${Axes} frame=${frame2} chart=${chart} />
      <${Roofs} frame=${frame2} chart=${chart} />
      ${points2.map((each, place) => html`<circle key=${each.region} class=${`region${selected.has(each.region) ? " selected" : ""}${place === at ? " at" : ""}`} cx=${frame2.across(each.x)} cy=${frame2.up(each.y)} r=${radius(each.share)}
        onMouseEnter=${() => point2(place)} onClick=${() => select(each.region)} />`)}
      ${points2.filter(({ share: share2 }) => share2 >= NAMED3).slice(0, MOST_NAMED).map((each) => html`<${Label} key=${each.region} frame=${frame2} point=${each} />`)}
    </svg></div>
    <p class="told" aria-live="polite">${told2 ?? (points2.length ? "Point at a region, or use the arrow keys, to read its values. Click a region to select it." : "No region has values on both axes.")}</p>
    <ul class="swatches listed">
      ${chart.peak !== null && html`<li><${Sample} /> ${rate2(chart.peak)}: ${chart.roof}</li>`}
      ${chart.slopes.map(({ name, bytes }, number) => html`<li key=${name}><${Sample} number=${number} /> ${writtenRate(bytes, "bytes/sec")}: ${name}</li>`)}
    </ul>
    <${Copies} name="roofline" svg=${() => svgText(picture.current)} rows=${() => [
      ["region", "source", "share of the time", `${chart.work} per byte`, `${chart.work} per second`],
      ...points2.map(({ name, place, share: share2, x, y }) => [name, place, share2, x, y])
    ]} />
  `;
  }
  function bound(chart, x, y) {
    if (chart.peak === null || !chart.slopes.length) return "";
    const most3 = Math.min(chart.peak, x * Math.max(...chart.slopes.map(({ bytes }) => bytes)));
    return `; ${percent2(y / most3)} of what ${most3 < chart.peak ? "the bandwidth" : "the core"} allows`;
  }
  function frameOf({ peak, slopes }, points2) {
    const meet = peak === null ? [] : slopes.map(({ bytes }) => peak / bytes);
    const xs = [...points2.map(({ x: x2 }) => x2), ...meet];
    const ys = [...points2.map(({ y: y2 }) => y2), ...peak === null ? [] : [peak]];
    const [x, y] = [around(xs), around(ys)];
    const part = ([low, high], value) => (Math.log10(value) - low) / (high - low);
    return {
      x,
      y,
      across: (value) => LEFT2 + part(x, value) * (WIDE2 - LEFT2 - RIGHT2),
      up: (value) => HIGH - BOTTOM2 - part(y, value) * (HIGH - TOP4 - BOTTOM2)
    };
  }
  function around(values) {
    const logs = values.length ? values.map(Math.log10) : [0];
    return [Math.floor(Math.min(...logs) - 1 / 3), Math.ceil(Math.max(...logs) + 1 / 3)];
  }
  var powers = ([low, high]) => Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  var power2 = (value) => value >= 0.01 && value < 1e5 ? String(Number(value.toPrecision(1))) : `1e${Math.round(Math.log10(value))}`;
  var radius = (share2) => SMALLEST + (LARGEST2 - SMALLEST) * Math.sqrt(share2);
  function Label({ frame: frame2, point: { x, y, share: share2, name, place } }) {
    const [left, isRight] = [frame2.across(x), frame2.across(x) > WIDE2 / 2];
    return html`<text class="label" x=${left + (isRight ? -1 : 1) * (radius(share2) + 4)} y=${frame2.up(y) + 4} text-anchor=${isRight ? "end" : "start"}>${(place || name).slice(0, LONGEST)}</text>`;
  }
  function Axes({ frame: frame2, chart }) {
    const [top, bottom, right] = [TOP4, HIGH - BOTTOM2, WIDE2 - RIGHT2];
    return html`
    ${powers(frame2.x).map((value) => html`<path class="rule" d=${`M${frame2.across(value)} ${top}V${bottom}`} /><text x=${frame2.across(value)} y=${bottom + 16} text-anchor="middle">${power2(value)}</text>`)}
    ${powers(frame2.y).map((value) => html`<path class="rule" d=${`M${LEFT2} ${frame2.up(value)}H${right}`} /><text x=${LEFT2 - 6} y=${frame2.up(value) + 4} text-anchor="end">${power2(value)}</text>`)}
    <text x=${(LEFT2 + right) / 2} y=${HIGH - 8} text-anchor="middle">${chart.work} per byte</text>
    <text transform=${`translate(14 ${(top + bottom) / 2}) rotate(-90)`} text-anchor="middle">${chart.work} per second</text>
  `;
  }
  function Roofs({ frame: frame2, chart: { peak, slopes } }) {
    const [left, right] = frame2.x.map((each) => 10 ** each);
    const [low, high] = frame2.y.map((each) => 10 ** each);
    const top = peak ?? high;
    const start2 = slopes.length ? Math.max(left, top / Math.max(...slopes.map(({ bytes }) => bytes))) : left;
    const line = (from, to) => `M${frame2.across(from[0])} ${frame2.up(from[1])}L${frame2.across(to[0])} ${frame2.up(to[1])}`;
    return html`
    ${slopes.map(({ name, bytes }, number) => {
      const [from, to] = [Math.max(left, low / bytes), Math.min(right, top / bytes)];
      return from < to && html`<path key=${name} class="roof" stroke-dasharray=${DASHES[(number + 1) % DASHES.length]} d=${line([from, bytes * from], [to, bytes * to])} />`;
    })}
    ${peak !== null && html`<path class="roof" d=${line([start2, peak], [right, peak])} />`}
  `;
  }
  var Sample = ({ number = -1 }) => html`<svg class="sample" viewBox="0 0 36 10" aria-hidden="true"><path class="roof" stroke-dasharray=${DASHES[(number + 1) % DASHES.length]} d="M0 5H36" /></svg>`;
  function Rates({ listed, regions, selected, select }) {
    return html`
    <h3>Rates of regions</h3>
    <p class="remark">Rates of each region, excluding callees, over all ranks, per second of one core. The longest region is first.</p>
    <div class="scroll" tabindex="0" role="region" aria-label="rates of regions">
      <table class="profile">
        <thead><tr><th>region</th><th>source</th><th class="number">time</th>${listed.map(({ name, about }) => html`<th key=${name} class="number" title=${about}>${name}</th>`)}</tr></thead>
        <tbody>${regions.map(
      ({ region, name, place, share: share2, valueOf }) => html`<tr key=${region} class=${selected.has(region) ? "selected" : ""}>
            <td><button class="link" onClick=${() => select(region)} title=${name.slice(0, 300)}>${name}</button></td><td>${place}</td><td class="number">${percent2(share2)}</td>
            ${listed.map((each) => html`<td key=${each.name} class="number">${writtenRate(valueOf(each.name), each.unit)}</td>`)}
          </tr>`
    )}</tbody>
      </table>
    </div>
    <${Copies} name="rates" rows=${() => [
      ["region", "source", "share of the time", ...listed.map(({ name, unit }) => `${name} (${unit})`)],
      ...regions.map(({ name, place, share: share2, valueOf }) => [name, place, share2, ...listed.map((each) => valueOf(each.name))])
    ]} />
  `;
  }

  // src/parts/search.js
  var ORDER = ["program", "metrics", "system"];
  var MOST4 = 12;
  function Search({ trees, titles, show }) {
    const [query, setQuery] = useState("");
    const [seen, setSeen] = useState({ at: -1, found: "" });
    const [open, setOpen] = useState(false);
    const hits = useMemo(() => hitsOf(trees, query), [query, ...ORDER.map((each) => trees[each])]);
    const input = useRef(null);
    const found = useMemo(() => hits.map(({ dimension, node, label: label2 }) => `${dimension} ${node} ${label2}`).join("\n"), [hits]);
    const at = seen.found === found ? seen.at : -1;
    const setAt = (number) => setSeen({ at: number, found });
    function go(number) {
      if (!hits.length) return;
      const next = (number + hits.length) % hits.length;
      setAt(next);
      show(hits[next].dimension, hits[next].node);
    }
    function onKey(event) {
      if (event.key !== "Enter") return;
      setOpen(false);
      go(event.shiftKey ? Math.max(at, 0) - 1 : at + 1);
    }
    function onEscape(event) {
      if (event.key !== "Escape" || !listed) return;
      event.stopPropagation();
      setOpen(false);
      input.current.focus();
    }
    const first = hits.slice(0, MOST4);
    const listed = open && first.length > 0;
    const said = !query ? "" : !hits.length ? `no name contains “${query}”` : at < 0 ? `${hits.length} found` : `${at + 1} of ${hits.length}`;
    return html`
    <div class="search" onKeyDown=${onEscape} onFocusOut=${(event) => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}>
      <span class=${hits.length || !query ? "remark" : "missed"} role="status">${said}</span>
      <label>search <input id="search" type="search" ref=${input} aria-controls=${listed ? "hits" : null} value=${query} placeholder="/" onKeyDown=${onKey}
        onInput=${(event) => {
      setQuery(event.currentTarget.value);
      setAt(-1);
      setOpen(true);
    }} /></label>
      ${listed && html`<ul class="hits" id="hits" aria-label="found" onMouseDown=${(event) => event.preventDefault()}>
        ${first.map(({ dimension, node, label: label2 }, number) => html`<li key=${`${dimension} ${node}`}><button onClick=${() => {
      setOpen(false);
      go(number);
    }}>${label2} <small>${titles[dimension].toLowerCase()}</small></button></li>`)}
        ${hits.length > MOST4 && html`<li><small>and ${hits.length - MOST4} more; press Enter for the next</small></li>`}
      </ul>`}
    </div>
  `;
  }
  function hitsOf(trees, query) {
    const wanted = query.toLowerCase();
    if (!wanted) return [];
    return ORDER.flatMap((dimension) => trees[dimension].labels.flatMap((label2, node) => label2.toLowerCase().includes(wanted) ? [{ dimension, node, label: label2 }] : []));
  }

  // src/parts/source_view.js
  var LINE = 20;
  var BANDS = 8;
  function SourceView({ browser, experiment, sources, findings, select }) {
    const [all, setAll] = useState(true);
    const box = useRef(null);
    const paths = selectedPaths(browser, experiment);
    const scope = useMemo(() => paths, [browser.panes.program]);
    const region = experiment.trees.flat.home[paths[0]];
    const [away, setAway] = useState(null);
    const [, , ofRegion, , firstOfRegion, lastOfRegion] = experiment.head.regions[region];
    const { file, first, last } = away?.region === region ? away : { file: ofRegion, first: firstOfRegion, last: lastOfRegion };
    const source = sources[file];
    const named = useMemo(() => placesOf(findings, paths), [findings, browser]);
    const [view, look] = useWindow(box, LINE, [file]);
    const unit = browser.sums.metrics[browser.metrics[0]].unit;
    const costs = useMemo(() => regionSums(browser, experiment, all ? null : scope), [browser, all]);
    const bands = useMemo(() => nested(experiment.head.regions, file), [experiment, file]);
    const tips = useMemo(() => tipsOf(findings, file), [findings, file]);
    const top = useMemo(() => bands.reduce((most3, { number }) => Math.max(most3, Math.abs(costs[number]) || 0), 0), [bands, costs]);
    useLayoutEffect(() => {
      if (!box.current) return;
      box.current.scrollTop = Math.max(0, (first - 4) * LINE);
      look();
    }, [file, first, source]);
    const label2 = html`<h2 class="pane-title"><span>${file ? atLine(file, first) : "source"}</span></h2>`;
    if (!source?.lines) {
      const name = experiment.head.regions[region][0];
      const why = !file ? `${name} has no source file, because it belongs to a library.` : source?.warning ?? "The source is not in this page.";
      return html`<section class="source" aria-label="source">${label2}<p class="remark">${why}</p></section>`;
    }
    const from = Math.min(view.from, Math.max(0, source.lines.length - view.count));
    const lines = source.lines.slice(from, from + view.count);
    const amount3 = (number) => written({ amount: costs[number] === costs[number] ? costs[number] : null, gap: "" }, unit).text;
    const width = Math.min(BANDS, 1 + bands.reduce((deepest, { depth }) => Math.max(deepest, depth), 0));
    const choose = (number) => select(heaviestPath(browser, experiment, number, scope));
    const row = (text, place) => {
      const line = from + place + 1;
      const here = bands.filter((band) => band.first <= line && line <= band.last);
      const starts = here.filter((band) => band.first === line);
      const columns = Array.from({ length: width }, (_, depth) => here.findLast((band) => Math.min(band.depth, width - 1) === depth));
      const inner = here.at(-1);
      const tip = tips.get(line);
      const marked = line >= first && line <= last;
      return html`
      <div
        key=${line}
        class=${`line ${marked ? "marked" : ""} ${line === first ? "first" : ""} ${tip ? "advised" : ""}`}
        title=${tip?.texts.join("\n")}
        onClick=${inner && (() => choose(inner.number))}
      >
        <span class="bands" aria-hidden="true">${columns.map(
        (band) => html`<span
            style=${{ backgroundColor: band && costs[band.number] === costs[band.number] ? css(sizeColour(top ? Math.abs(costs[band.number]) / top : 0)) : void 0 }}
            class=${band ? "band" : ""}
            title=${band && `${experiment.head.regions[band.number][0]}: ${amount3(band.number)}`}
          ></span>`
      )}</span
        ><span class="cost">${starts.length ? amount3(starts.at(-1).number) : ""}</span
        ><span class="number">${line}</span><code>${text || " "}</code
        >${tip?.firsts.map((each) => html`<span class="tip">${each}</span>`)}
      </div>
    `;
    };
    return html`
    <section class="source" aria-label="source">
      ${label2}
      <div class="source-tools">
        <label><input type="checkbox" checked=${!all} onChange=${(event) => setAll(!event.currentTarget.checked)} /> only below the selected call path</label>
        ${named.length > 0 && html`<span class="named">to try: ${named.map(
      ([name, line]) => html`<button aria-pressed=${name === file && line === first} onClick=${() => setAway({ region, file: name, first: line, last: line })}>${atLine(name, line)}</button>`
    )}</span>`}
      </div>
      ${source.warning && html`<p class="remark warning">${source.warning}</p>`}
      <div class="text" ref=${box} onScroll=${look} tabindex="0" role="region" aria-label=${`${file}, lines ${first} to ${last} are selected`}>
        <div style=${{ height: `${source.lines.length * LINE}px` }}>
          <div class="lines" style=${{ transform: `translateY(${from * LINE}px)` }}>${lines.map(row)}</div>
        </div>
      </div>
    </section>
  `;
  }
  function tipsOf(findings, file) {
    const found = /* @__PURE__ */ new Map();
    for (const { text, places } of findings.flatMap(({ advice }) => advice)) {
      const lines = [...new Set(places.filter(([name]) => name === file).map(([, line]) => line))];
      for (const line of lines) {
        if (!found.has(line)) found.set(line, { texts: [], firsts: [] });
        const tip = found.get(line);
        if (tip.texts.includes(text)) continue;
        tip.texts.push(text);
        if (line === lines[0]) tip.firsts.push(text);
      }
    }
    return found;
  }
  function placesOf(findings, paths) {
    const places = findings.filter(({ path }) => paths.includes(path)).flatMap(({ advice }) => advice.flatMap((each) => each.places));
    return [...new Map(places.map((each) => [each.join(":"), each])).values()];
  }

  // src/parts/splitter.js
  var LEAST5 = 120;
  var STEP2 = 24;
  function Splitter({ name, width, setWidth }) {
    const onPointerDown = (event) => {
      event.preventDefault();
      const bar = event.currentTarget;
      const start2 = event.clientX;
      const from = bar.previousElementSibling.getBoundingClientRect().width;
      const move = (moved) => setWidth(Math.max(LEAST5, from + moved.clientX - start2));
      bar.setPointerCapture(event.pointerId);
      bar.addEventListener("pointermove", move);
      bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
    };
    const onKeyDown = (event) => {
      const step = { ArrowLeft: -STEP2, ArrowRight: STEP2 }[event.key];
      if (!step) return;
      event.preventDefault();
      setWidth(Math.max(LEAST5, (width ?? event.currentTarget.previousElementSibling.getBoundingClientRect().width) + step));
    };
    return html`<div class="splitter" role="separator" tabindex="0" aria-orientation="vertical" aria-label=${`width of ${name}`}
    aria-valuenow=${Math.round(width ?? 300)} aria-valuemin=${LEAST5} aria-valuemax="2000" onPointerDown=${onPointerDown} onKeyDown=${onKeyDown} onDblClick=${() => setWidth(null)}></div>`;
  }

  // src/parts/tabs.js
  var TABS = [
    ["ranks", "Ranks × regions"],
    ["flat", "Flat profile"],
    ["topology", "Topology"],
    ["compare", "Compare"],
    ["counters", "Counters"],
    ["time", "Time"],
    ["account", "Account"],
    ["roofline", "Roofline"],
    ["callers", "Callers"],
    ["icicle", "Icicle"],
    ["messages", "Messages"]
  ];
  var KEYS2 = "1234567890m";
  var keyOf = (place) => KEYS2[place];
  function Tabs({ tab, go, children }) {
    const onKeyDown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = Math.max(0, TABS.findIndex(([name]) => name === tab));
      const next = TABS[(at + step + TABS.length) % TABS.length][0];
      go(next);
      document.getElementById(`tab-${next}`).focus();
    };
    return html`
    <div class="tabs" role="tablist" aria-label="more views" onKeyDown=${onKeyDown}>
      ${TABS.map(
      ([name, title], place) => html`<button
          key=${name}
          role="tab"
          id=${`tab-${name}`}
          aria-selected=${tab === name}
          aria-controls=${tab === name ? "panel" : void 0}
          tabindex=${tab === name || !tab && !place ? 0 : -1}
          onClick=${() => go(name)}
        ><kbd>${keyOf(place)}</kbd>${title}</button>`
    )}
    </div>
    ${tab && html`<div class="panel" id="panel" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="0">${children}</div>`}
  `;
  }

  // src/model/time_grid.js
  var LEAST6 = 2;
  var TimeGrid = class {
    // `view`: start and end of the visible interval. `width`: width of this interval in pixels.
    constructor(times, [start2, end], width) {
      const { fine, step } = times;
      const wide = width * step / fine / (end - start2);
      const sizes = Array.from({ length: fine }, (_, place) => place + 1).filter((size) => fine % size === 0);
      this.times = times;
      this.parts = sizes.find((size) => size * wide >= LEAST6) ?? fine;
      this.length = times.steps * fine / this.parts;
      this.size = step * this.parts / fine;
    }
    // Returns the cell that contains a moment.
    cellAt(time) {
      return Math.max(0, Math.min(this.length - 1, Math.floor((time - this.times.start) / this.size)));
    }
    // Returns the time at which a cell begins.
    beginOf(cell2) {
      return this.times.beginOf(cell2 * this.parts);
    }
    middle(cell2) {
      return (this.beginOf(cell2) + this.beginOf(cell2 + 1)) / 2;
    }
    // Returns the first cell that is at least half inside a range, and the cell after the last such cell.
    cellsOf([start2, end]) {
      const first = this.cellAt(start2 + this.size / 2);
      return [first, Math.max(first, this.cellAt(end - this.size / 2)) + 1];
    }
    // Returns the first part of a step in a range, and the part after the last one in the range.
    partsOf(range2) {
      return this.cellsOf(range2).map((cell2) => cell2 * this.parts);
    }
    // Returns the main call path of a row in a cell.
    pathAt(row, cell2) {
      return this.times.mostMet(row, [cell2 * this.parts, (cell2 + 1) * this.parts]);
    }
    // Returns a moment in seconds as text, with the number of decimals that the cells justify.
    moment(time) {
      return this.times.moment(time, this.size);
    }
  };

  // src/parts/chart.js
  var AXIS = 92;
  var RIGHT3 = 12;
  var AROUND2 = AXIS + RIGHT3;
  var BOTTOM3 = 24;
  var ROOM2 = 6;
  var LEAST7 = 3;
  var SHADE = "33";
  var PAGE = 10;
  function inks(box) {
    const { color, caretColor, borderTopColor } = getComputedStyle(box);
    return { text: color, line: caretColor, edge: borderTopColor };
  }
  function Chart2({ times, label: label2, view, shared, intervals = [], of, anew, onPoint, onPick }) {
    const box = useRef(null);
    const chart = useRef(null);
    const { width, range: range2, at, selected } = shared;
    const now = useRef(shared);
    now.current = shared;
    useEffect(() => {
      const made = of(() => inks(box.current));
      const plot = new uPlot(options3(times, made, { box: box.current, width, now, intervals, onPoint }), made.data, box.current);
      chart.current = plot;
      const scheme = matchMedia("(prefers-color-scheme: dark)");
      const redraw = () => plot.redraw();
      scheme.addEventListener("change", redraw);
      return () => {
        scheme.removeEventListener("change", redraw);
        plot.destroy();
      };
    }, [times, width, ...anew]);
    useEffect(() => {
      chart.current.batch((plot) => plot.setScale("x", { min: view[0], max: view[1] }));
      point(chart.current, at);
    }, [times, width, ...anew, range2]);
    useEffect(() => {
      if (!isThere(chart.current, shared)) point(chart.current, at);
    }, [at]);
    useEffect(() => {
      const plot = chart.current;
      const [left, right] = selected ? selected.map((time) => plot.valToPos(time, "x")) : [0, 0];
      plot.setSelect({ left, width: right - left, top: 0, height: plot.over.clientHeight }, false);
    }, [times, width, ...anew, range2, selected]);
    const pressed = useRef(null);
    const onClick = (event) => {
      const { left, top, width: wide } = chart.current.over.getBoundingClientRect();
      const [x, y] = [event.clientX - left, event.clientY - top];
      if (Math.abs(event.clientX - pressed.current) < LEAST7 && x >= 0 && x <= wide) onPick(chart.current.posToVal(x, "x"), y);
    };
    return html`<div class="chart" ref=${box} role="img" tabindex="0" aria-label=${label2} onKeyDown=${(event) => keys(event, view, shared, onPick)}
    onMouseDown=${(event) => pressed.current = event.clientX} onClick=${onPick && onClick}></div>`;
  }
  var point = (plot, time) => plot.setCursor(time === null ? { left: -10, top: -10 } : { left: plot.valToPos(time, "x"), top: 0 }, false);
  function isThere(plot, { at, grid }) {
    const { left } = plot.cursor;
    return at === null ? left < 0 : left >= 0 && grid.cellAt(plot.posToVal(left, "x")) === grid.cellAt(at);
  }
  function options3(times, { height, series, bands, axis, range: range2, draw: draw5, last }, { box, width, now, intervals, onPoint }) {
    const ink = () => inks(box);
    const axes = { stroke: () => ink().text, font: "11px system-ui, sans-serif", ticks: { show: false }, grid: { width: 1, stroke: () => ink().edge } };
    const seconds2 = (_, splits) => splits.map((each) => last ? `${Number(each.toFixed(9))} s` : "");
    return {
      width,
      height: height + (last ? BOTTOM3 : ROOM2),
      padding: [4, RIGHT3, last ? 0 : ROOM2, 0],
      legend: { show: false },
      scales: { x: { time: false }, y: { range: range2 } },
      series: [{}, ...series],
      bands,
      axes: [{ ...axes, values: seconds2, size: last ? BOTTOM3 : 0 }, { ...axes, size: AXIS, ...axis }],
      cursor: {
        y: false,
        points: { show: false },
        dataIdx: (plot, _, __, time) => times.stepAt(time),
        drag: { x: true, y: false, setScale: false, dist: LEAST7 },
        bind: { dblclick: () => () => now.current.choose(null) }
      },
      hooks: {
        drawClear: [(plot) => shade(plot, intervals)],
        draw: draw5 ? [draw5] : [],
        setCursor: [(plot) => pointed(plot, now.current, onPoint)],
        setSelect: [(plot) => chosen(plot, times, now.current)]
      }
    };
  }
  var handled = /* @__PURE__ */ new WeakMap();
  function pointed(plot, shared, onPoint) {
    const { left, top, event } = plot.cursor;
    if (!event || handled.get(plot) === event) return;
    handled.set(plot, event);
    onPoint?.(left < 0 ? null : top);
    if (shared.anchor !== null) shared.select(null);
    shared.point(left < 0 ? null : shared.grid.middle(shared.grid.cellAt(plot.posToVal(left, "x"))));
  }
  function chosen(plot, times, shared) {
    const { left, width } = plot.select;
    if (width < LEAST7) return;
    const [start2, end] = [left, left + width].map((place) => plot.posToVal(place, "x"));
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    shared.choose([Math.max(start2, times.start), Math.min(end, times.end)]);
  }
  function shade(plot, intervals) {
    const { ctx, bbox } = plot;
    ctx.save();
    for (const { start: start2, end, colour } of intervals) {
      const [from, to] = [start2, end].map((time) => Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(time, "x", true))));
      ctx.fillStyle = colour + SHADE;
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
    }
    ctx.restore();
  }
  function drawLines(plot, lines) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = 2 * devicePixelRatio;
    lines.forEach(({ times, values }, number) => {
      ctx.strokeStyle = markColour(number);
      ctx.beginPath();
      times.forEach((time, place) => ctx.lineTo(plot.valToPos(time, "x", true), plot.valToPos(values[place], "y", true)));
      ctx.stroke();
    });
    ctx.restore();
  }
  function keys(event, view, { grid, at, anchor, selected, point: point2, select, choose }, onPick) {
    const [first, behind] = grid.cellsOf(view);
    const from = at === null ? event.key === "ArrowLeft" ? behind : first - 1 : grid.cellAt(at);
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, PageDown: from + PAGE, PageUp: from - PAGE, Home: first, End: behind - 1 }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (to !== void 0) {
      const time = grid.middle(Math.max(first, Math.min(behind - 1, to)));
      select(event.shiftKey ? anchor ?? at ?? time : null);
      point2(time);
    } else if (event.key === "Enter" && selected) choose(selected);
    else if (event.key === "Enter" && onPick && at !== null) onPick(null, 0);
    else if (event.key === "Backspace") choose(null);
    else return;
    event.preventDefault();
  }

  // src/parts/commands.js
  function Commands({ times, range: range2, shown, metric, setMetric }) {
    return html`
    <section class="commands" aria-label="commands for the terminal">
      <h3>${times.span(range2).replace(":", " to ")} s: commands for the terminal</h3>
      <label>metric <select value=${metric} onChange=${(event) => setMetric(event.currentTarget.value)}>${shown.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
      ${times.commands(metric, range2).map(([what, command]) => html`<${Command} key=${what} what=${what} command=${command} />`)}
    </section>
  `;
  }
  function Command({ what, command }) {
    const text = useRef(null);
    const [said, say] = useState("");
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(command);
        say("copied");
      } catch {
        getSelection().selectAllChildren(text.current);
        say("selected: press Ctrl+C to copy");
      }
    };
    return html`<p><small>${what}</small><br /><code ref=${text}>${command}</code> <button onClick=${copy} aria-label=${`copy: ${what}`}>copy</button> <span class="remark" role="status">${said}</span></p>`;
  }

  // src/parts/metric_chart.js
  var HEIGHT = 84;
  var BAND = 0.22;
  function MetricChart({ times, name, view, shared, intervals, last, onPoint }) {
    const unit = times.units.get(name);
    const { at } = shared;
    const said = summary2(times, name, view);
    const here = at === null ? said : valuesAt(times, name, times.stepAt(at));
    const lines = times.head.marks.lines.filter(({ metric }) => metric === name);
    const of = (ink) => ({
      data: dataOf(times, name),
      height: HEIGHT,
      last,
      series: [{ width: 0 }, { width: 1.5, stroke: () => ink().line, paths: uPlot.paths.stepped({ align: 1 }) }, { width: 0 }].map((each) => ({ paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, ...each })),
      bands: [{ series: [3, 1], fill: () => faded(ink().line) }],
      axis: { space: 24, values: (_, splits) => splits.map((each) => rate(each, unit)) },
      range: (_, low, high) => [Math.min(0, low ?? 0), high > 0 ? 1.05 * high : 1],
      draw: (plot) => drawLines(plot, lines)
    });
    return html`
    <section class="time-line" aria-label=${name}>
      <h3><span>${titleOf(name, unit)}</span> <small>${here}</small></h3>
      <${Chart2} times=${times} label=${`${name}, ${said}. Arrows move the cursor, with Shift they select; Enter zooms, Backspace shows all.`} view=${view} shared=${shared} intervals=${intervals} of=${of} anew=${[name, last]} onPoint=${onPoint} />
      ${lines.length > 0 && html`<ul class="swatches">${lines.map(({ label: label2 }, number) => html`<li><i class="swatch" style=${{ backgroundColor: markColour(number) }}></i>${label2}</li>`)}</ul>`}
    </section>
  `;
  }
  function summary2(times, name, view) {
    const unit = times.units.get(name);
    const { least: least2, mean, most: most3, mostAt } = times.summary(name, times.stepsOf(view));
    if (mean !== mean) return "not known in this interval";
    return `mean ${rate(mean, unit)}, from ${rate(least2, unit)} to ${rate(most3, unit)} (at ${times.moment(mostAt)} s)`;
  }
  function valuesAt(times, name, step) {
    const unit = times.units.get(name);
    const { least: least2, mean, most: most3 } = times.numbers.get(name);
    if (mean[step] !== mean[step]) return "not known";
    return `mean ${rate(mean[step], unit)}${times.head.locations > 1 ? `, from ${rate(least2[step], unit)} to ${rate(most3[step], unit)}` : ""}`;
  }
  function dataOf(times, name) {
    const { least: least2, mean, most: most3 } = times.numbers.get(name);
    const held = (values) => Array.from({ length: times.steps + 1 }, (_, place) => {
      const value = values[Math.min(place, times.steps - 1)];
      return value === value ? value : null;
    });
    return [times.edges, held(least2), held(mean), held(most3)];
  }
  var faded = (colour) => colour.replace(/^rgb\((.*)\)$/, (_, parts) => `rgba(${parts}, ${BAND})`);

  // src/parts/region_strip.js
  var [TALLEST, LOWEST, ALL] = [18, 6, 200];
  var FIRST = 22;
  var NAME = 13;
  var SEVERAL = "#c4c4c4";
  function RegionStrip({ times, view, shared, intervals, last, select }) {
    const { rows, paths } = times.head;
    const { at, grid } = shared;
    const [row, setRow] = useState(0);
    const shares = useMemo(() => times.shares(), [times]);
    const inView = useMemo(() => new Map(times.shares(grid.partsOf(view)).map(({ path: path2, share: share2 }) => [path2, share2])), [times, grid]);
    const places = useMemo(() => new Map(shares.map(({ path: path2 }, place) => [path2, place])), [shares]);
    const tops = useMemo(() => topsOf(rows.length), [rows]);
    const shown = row < rows.length ? row : 0;
    const path = at === null ? NaN : grid.pathAt(shown, grid.cellAt(at));
    const said = at === null ? `the call path with the most time at each moment${select ? "; click it to select it and its rank" : ""}` : `${rows[shown]} in ${path >= 0 ? paths[path].chain.join(" / ") : times.nameOf(path)}`;
    const onPoint = (top) => setRow(top === null ? 0 : Math.max(0, tops.findLastIndex((each) => each <= top)));
    const onPick = (time, top) => {
      const line = time === null ? shown : Math.max(0, tops.findLastIndex((each) => each <= top));
      const { node } = paths[grid.pathAt(line, grid.cellAt(time ?? at))] ?? { node: null };
      if (select && node !== null && line < rows.length) select(node, times.head.members[line]);
    };
    const of = () => ({
      data: [times.edges, new Array(times.steps + 1).fill(null)],
      height: tops.at(-1) + 4,
      last,
      series: [{}],
      axis: { grid: { show: false }, splits: () => middles(tops), values: () => namesOf2(rows, tops), filter: (_, splits) => splits },
      range: () => [-tops.at(-1), 0],
      draw: (plot) => draw3(plot, { tops, places, grid: new TimeGrid(times, [plot.scales.x.min, plot.scales.x.max], plot.over.clientWidth) })
    });
    const spoken = shares.slice(0, 3).map((each) => `${paths[each.path].name} ${percent3(each.share)}`).join(", ");
    return html`
    <section class="time-line" aria-label="regions">
      <h3><span>Regions</span> <small>${said}</small></h3>
      <${Chart2} times=${times} label=${`Regions over time: mostly ${spoken}. Arrows move the cursor, with Shift they select; Enter zooms, Backspace shows all.`} view=${view} shared=${shared} intervals=${intervals} of=${of} anew=${[last]} onPoint=${onPoint} onPick=${onPick} />
      <ul class="swatches">
        ${shares.slice(0, NAMED2).map((each, place) => html`<${Swatch} key=${each.path} colour=${regionColour(place)} region=${paths[each.path]} share=${inView.get(each.path)} select=${select} />`)}
        ${shares.length > NAMED2 && html`<li><i class="swatch" style=${{ backgroundColor: regionColour(NAMED2) }}></i>${shares.length - NAMED2} other region${shares.length - NAMED2 === 1 ? "" : "s"}</li>`}
        <li><small>% of the time of all ${times.head.noun}s${view[0] > times.start || view[1] < times.end ? ` from ${times.moment(view[0])} to ${times.moment(view[1])} s` : ""}</small></li>
        ${times.regions.some((each) => each < 0) && html`<li><i class="swatch" style=${{ backgroundColor: SEVERAL }}></i>several short regions</li>`}
      </ul>
    </section>
  `;
  }
  function Swatch({ colour, region, share: share2, select }) {
    const { name, place, chain, node } = region;
    const title = `${chain.join(" / ")}${place ? ` (${place})` : ""}`.slice(0, 300);
    return html`<li title=${title}>
    <i class="swatch" style=${{ backgroundColor: colour }}></i>${select && node !== null ? html`<button class="link" onClick=${() => select(node)}>${name}</button>` : html`<span>${name}</span>`} <small>${place ? `${place}, ` : ""}${percent3(share2)}</small>
  </li>`;
  }
  var percent3 = (share2) => amount(100 * share2, "%");
  function topsOf(count2) {
    const height = Math.max(LOWEST, Math.min(TALLEST, Math.floor(ALL / Math.max(1, count2 - 1))));
    return [0, ...Array.from({ length: count2 }, (_, place) => FIRST + place * height)];
  }
  var middles = (tops) => tops.slice(0, -1).map((top, place) => -(top + tops[place + 1]) / 2);
  function namesOf2(rows, tops) {
    let next = -NAME;
    return middles(tops).map((middle, place) => {
      if (-middle < next + NAME) return "";
      next = -middle;
      return rows[place];
    });
  }
  function draw3(plot, { tops, places, grid }) {
    const { ctx, bbox } = plot;
    const scale = bbox.height / tops.at(-1);
    const { min, max } = plot.scales.x;
    const [first, behind] = [grid.cellAt(min), grid.cellAt(max) + 1];
    const edge = (cell2) => Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(grid.beginOf(cell2), "x", true)));
    ctx.save();
    for (let row = 0; row + 1 < tops.length; row++) {
      for (let from = first, to; from < behind; from = to) {
        const path = grid.pathAt(row, from);
        for (to = from + 1; to < behind && Object.is(grid.pathAt(row, to), path); ) to++;
        if (path !== path) continue;
        ctx.fillStyle = path < 0 ? SEVERAL : regionColour(places.get(path));
        ctx.fillRect(edge(from), bbox.top + tops[row] * scale, Math.max(1, edge(to) - edge(from)), (tops[row + 1] - tops[row]) * scale - 1);
      }
    }
    ctx.restore();
  }

  // src/parts/warping.js
  var SIDE = 320;
  var MARGIN = 60;
  var [WIDE3, HIGH2, GAP] = [640, 70, 80];
  var LINES = 80;
  function Warping({ warping }) {
    const { metric, x, y, pairs, error } = warping;
    const said = `${x.samples} samples of ${metric} in ${x.name} and ${y.samples} in ${y.name} form ${pairs} pairs; the sum of their distances is ${amount(error, "")}`;
    return html`
    <h3>How ${y.name} was aligned with ${x.name}</h3>
    <p>${said}.</p>
    <div class="lists">
      <figure><${Path} warping=${warping} /><figcaption class="remark">The warp path: samples of ${x.name} from left to right, samples of ${y.name} upwards. If the path is horizontal or vertical, one sample matches several.</figcaption></figure>
      <figure><${Pairs} warping=${warping} /><figcaption class="remark">Matching samples: ${x.name} above, ${y.name} below.</figcaption></figure>
    </div>
  `;
  }
  function Path({ warping: { x, y, kept: kept2 } }) {
    const [across, up] = [SIDE / x.samples, SIDE / y.samples];
    const [wide, high] = [across, up].map((size) => Math.max(size, 1.5));
    const squares = kept2[0].map((column, place) => `M${MARGIN + column * across} ${SIDE - (kept2[1][place] + 1) * up}h${wide}v${high}h${-wide}z`).join("");
    return html`
    <svg class="warping" viewBox=${`0 0 ${SIDE + MARGIN} ${SIDE + MARGIN}`} role="img" aria-label=${`the warp path between ${x.name} and ${y.name}`}>
      <rect class="frame" x=${MARGIN} y="0" width=${SIDE} height=${SIDE} />
      <path class="cells" d=${squares} />
      <polyline class="curve" points=${points(placed(x.values).map(([part, value]) => [MARGIN + part * SIDE, SIDE + MARGIN - 4 - value * (MARGIN - 8)]))} />
      <polyline class="curve" points=${points(placed(y.values).map(([part, value]) => [MARGIN - 4 - value * (MARGIN - 8), SIDE - part * SIDE]))} />
    </svg>
  `;
  }
  function Pairs({ warping: { x, y, kept: kept2 } }) {
    const above = placed(x.values).map(([part, value]) => [part * WIDE3, HIGH2 * (1 - value)]);
    const below = placed(y.values).map(([part, value]) => [part * WIDE3, HIGH2 + GAP + HIGH2 * (1 - value)]);
    const at = (curve, sample, samples) => curve[Math.round(sample / Math.max(1, samples - 1) * (curve.length - 1))];
    const step = Math.max(1, Math.ceil(kept2[0].length / LINES));
    const lines = kept2[0].map((sample, place) => [at(above, sample, x.samples), at(below, kept2[1][place], y.samples)]).filter((_, place) => place % step === 0);
    return html`
    <svg class="warping" viewBox=${`-2 -2 ${WIDE3 + 4} ${2 * HIGH2 + GAP + 4}`} role="img" aria-label=${`matching samples of ${x.name} and ${y.name}`}>
      <path class="pairs" d=${lines.map(([from, to]) => `M${from}L${to}`).join("")} />
      <polyline class="curve" points=${points(above)} />
      <polyline class="curve" points=${points(below)} />
    </svg>
  `;
  }
  function placed(values) {
    const low = values.reduce((least2, value) => Math.min(least2, value), Infinity);
    const high = values.reduce((most3, value) => Math.max(most3, value), -Infinity);
    return values.map((value, place) => [place / Math.max(1, values.length - 1), high > low ? (value - low) / (high - low) : 0.5]);
  }
  var points = (places) => places.map((each) => each.map((part) => part.toFixed(2)).join()).join(" ");

  // src/parts/time.js
  var NARROWEST = 240;
  function Time({ times, state, change, select }) {
    if (!times.length) return html`<p class="remark">This experiment is a profile: it contains sums over the run, but no time lines. To record time lines, use <code>autoanalyzer run --trace</code>; the page then shows them here.</p>`;
    return html`<${Charts} all=${times} times=${times[state.trace]} state=${state} change=${change} select=${select} />`;
  }
  function Charts({ all, times, state, change, select }) {
    const box = useRef(null);
    const [width, setWidth] = useState(0);
    const [loaded, setLoaded] = useState([]);
    const [pointed2, point2] = useState(null);
    const [begun, setAnchor] = useState(null);
    const [metric, setMetric] = useState(null);
    const shown = state.shown ?? times.first;
    const [at, anchor] = [pointed2, begun].map((time) => time !== null && times.start <= time && time <= times.end ? time : null);
    const view = state.range ?? [times.start, times.end];
    const grid = useMemo(() => new TimeGrid(times, view, width - AROUND2), [times, ...view, width]);
    useEffect(() => {
      let wanted = true;
      times.load(shown).then(() => wanted && setLoaded([...shown]));
      return () => wanted = false;
    }, [times, shown.join("\n")]);
    useLayoutEffect(() => {
      const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.max(NARROWEST, Math.floor(contentRect.width))));
      observer.observe(box.current);
      return () => observer.disconnect();
    }, []);
    const kinds = useMemo(() => [...new Set(times.head.marks.intervals.map(({ kind }) => kind))], [times]);
    const intervals = useMemo(() => times.head.marks.intervals.map((each) => ({ ...each, colour: markColour(kinds.indexOf(each.kind)) })), [times]);
    const drawn2 = loaded.filter((name) => shown.includes(name) && times.has([name]));
    const selected = anchor === null || at === null ? null : [times.edges[times.stepAt(Math.min(anchor, at))], times.edges[times.stepAt(Math.max(anchor, at)) + 1]];
    const choose = (range2) => {
      setAnchor(null);
      const [start2, end] = range2 ? times.span(range2).split(":").map(Number) : [0, 0];
      change({ range: end - start2 < times.step / 2 ? null : [start2, end] });
    };
    const shared = { grid, width, range: state.range, at, anchor, selected, point: point2, select: setAnchor, choose };
    const ready = width > 0 && times.regions !== void 0;
    const known = shown.filter((name) => times.inCommands(name));
    const named = known.includes(metric) ? metric : known[0];
    return html`
    <${Tools} all=${all} times=${times} view=${view} state=${state} change=${change} choose=${choose} />
    <${Choice} times=${times} shown=${shown} change=${change} />
    <div class="charts" ref=${box} onMouseLeave=${() => point2(null)}>
      ${ready && html`<${RegionStrip} times=${times} view=${view} shared=${shared} intervals=${intervals} last=${drawn2.length === 0} select=${select} />`}
      ${ready && drawn2.map((name, place) => html`<${MetricChart} key=${name} times=${times} name=${name} view=${view} shared=${shared} intervals=${intervals} last=${place === drawn2.length - 1} onPoint=${() => setMetric(name)} />`)}
    </div>
    <p class="told" aria-live="polite">${ready && told(times, grid, drawn2, at, selected)}</p>
    ${named && (selected || state.range) && html`<${Commands} times=${times} range=${selected ?? state.range} shown=${known} metric=${named} setMetric=${setMetric} />`}
    ${intervals.length > 0 && html`<${Intervals} times=${times} intervals=${intervals} choose=${choose} />`}
    ${ready && html`<${Copies} name="charts" image=${() => imageOfAll([...box.current.querySelectorAll(".chart canvas")].map((canvas) => ({ canvas, title: canvas.closest("section").querySelector("h3").innerText })))} rows=${() => numbersOf(times, drawn2)} />`}
    ${ready && drawn2.length > 0 && html`<${Numbers} times=${times} metrics=${drawn2} view=${view} />`}
    ${times.head.marks.warpings.map((each) => html`<${Warping} key=${each.y.name} warping=${each} />`)}
  `;
  }
  function numbersOf(times, metrics) {
    const titles = metrics.flatMap((name) => ["minimum", "mean", "maximum"].map((what) => `${what} of ${name} (${times.units.get(name)})`));
    const steps = Array.from({ length: times.steps }, (_, step) => step);
    const numbers = metrics.map((name) => times.numbers.get(name));
    return [
      ["from (s)", "to (s)", "region", ...titles],
      ...steps.map((step) => [times.edges[step], times.edges[step + 1], times.nameOf(times.mostMet(0, [step * times.fine, (step + 1) * times.fine])), ...numbers.flatMap(({ least: least2, mean, most: most3 }) => [least2[step], mean[step], most3[step]])])
    ];
  }
  function told(times, grid, metrics, at, selected) {
    if (selected) return `${times.span(selected).replace(":", " to ")} s is selected; Enter zooms`;
    if (at === null) return "Point at a chart, or use the arrow keys, to read its values. Drag to zoom in.";
    return [`${grid.moment(at)} s: ${times.nameOf(grid.pathAt(0, grid.cellAt(at)))}`, ...metrics.map((name) => `${name} ${valuesAt(times, name, times.stepAt(at))}`)].join("; ");
  }
  function Tools({ all, times, view, state, change, choose }) {
    const { locations, noun, interval } = times.head;
    const moment = (place) => (event) => {
      const value = Number(event.currentTarget.value);
      const range2 = view.with(place, Math.max(times.start, Math.min(times.end, value)));
      if (Number.isFinite(value) && range2[0] < range2[1]) choose(range2);
    };
    const field = (name, place) => html`<label>${name} <input type="number" class="moment" step="any" min=${times.start} max=${times.end} value=${times.moment(view[place])} onChange=${moment(place)} /> s</label>`;
    return html`
    <div class="map-tools">
      ${all.length > 1 && html`<label>trace <select value=${state.trace} onChange=${(event) => change({ trace: Number(event.currentTarget.value), shown: null, range: null })}>${all.map(({ head }, place) => html`<option value=${place}>${head.title}</option>`)}</select></label>`}
      ${field("from", 0)} ${field("to", 1)}
      <button aria-disabled=${!state.range} onClick=${() => choose(null)}>the whole run</button>
      <span class="remark">Minimum, mean and maximum of ${locations} ${noun}${locations === 1 ? "" : "s"}, in steps of ${amount(times.step, "sec")}${interval ? `; at most one sample per ${amount(interval, "sec")}` : ""}.</span>
    </div>
  `;
  }
  function Choice({ times, shown, change }) {
    const { metrics, nothing: nothing2 } = times.head;
    const toggle = (name) => change({ shown: metrics.map((each) => each.name).filter((each) => each === name !== shown.includes(each)) });
    return html`
    <details class="choice">
      <summary>Metrics: ${shown.length} of ${metrics.length}</summary>
      <div class="boxes">${metrics.map(({ name, unit, about }) => html`<label key=${name} title=${about}><input type="checkbox" checked=${shown.includes(name)} onChange=${() => toggle(name)} /> ${name} <small>${unit}</small></label>`)}</div>
      ${nothing2.length > 0 && html`<p class="remark">Always 0, or unknown: ${nothing2.join(", ")}</p>`}
    </details>
  `;
  }
  function Intervals({ times, intervals, choose }) {
    return html`
    <h3>Marked intervals</h3>
    <ul class="swatches listed">${intervals.map(
      ({ start: start2, end, label: label2, kind, colour }) => html`<li><i class="swatch" style=${{ backgroundColor: colour }}></i><button class="link" onClick=${() => choose([Math.max(start2, times.start), Math.min(end, times.end)])}>${label2}</button> <small>${kind}, ${times.moment(start2)} to ${times.moment(end)} s</small></li>`
    )}</ul>
  `;
  }
  function Numbers({ times, metrics, view }) {
    const said = ({ least: least2, mean, most: most3 }, unit) => mean === mean ? `${rate(mean, unit)} (${rate(least2, unit)} – ${rate(most3, unit)})` : "not known";
    return html`
    <details class="choice">
      <summary>The charts in numbers</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="numbers over time">
        <table class="profile">
          <thead><tr><th class="number">from (s)</th><th class="number">to (s)</th><th>region</th>${metrics.map((name) => html`<th class="number">${name}</th>`)}</tr></thead>
          <tbody>${times.table(metrics, times.stepsOf(view)).map(
      ({ start: start2, end, region, values }) => html`<tr><td class="number">${times.moment(start2)}</td><td class="number">${times.moment(end)}</td><td>${region}</td>${values.map((each, place) => html`<td class="number">${said(each, times.units.get(metrics[place]))}</td>`)}</tr>`
    )}</tbody>
        </table>
      </div>
      <p class="remark">Each cell shows the mean, with minimum and maximum in brackets.</p>
    </details>
  `;
  }

  // src/parts/topology.js
  var LARGEST3 = 72;
  var SMALLEST2 = 4;
  var [NUMBERED2, LETTERED, VALUED] = [22, 32, 56];
  var LINE2 = 14;
  var MOST_TOLD = 4;
  function Topology({ browser, experiment, clusters, select }) {
    const grids = experiment.head.topologies;
    const [which, setWhich] = useState(0);
    const [cut, setCut] = useState([]);
    const [by, setBy] = useState("value");
    const [place, setPlace] = useState(null);
    const canvas = useRef(null);
    const unit = browser.sums.metrics[browser.metrics[0]].unit;
    const grid = grids[Math.min(which, grids.length - 1)];
    const plane = useMemo(() => grid && planeOf(grid, cut), [grid, cut]);
    const values = useMemo(() => browser.summed ? browser.sums.ofLocations(browser) : null, [browser]);
    const scale = useMemo(() => grid && values && scaleOf2(grid, values), [grid, values]);
    const drawing = { plane, values, scale, clusters, by, experiment, unit };
    const room = plane ? [plane.width * plane.size, plane.height * plane.size] : [0, 0];
    useEffect(() => {
      if (canvas.current && values) draw4(sized(canvas.current, ...room), { ...drawing, place });
    }, [plane, values, by, place]);
    if (!grid) return html`<p class="remark">This program created no Cartesian grid of its ranks (MPI_Cart_create), and the file contains none.</p>`;
    if (!values) return html`<p class="remark">There is nothing to show on the grid: values of ${browser.named} cannot be summed, or are not in this page by location.</p>`;
    const at = (event) => {
      const box = canvas.current.getBoundingClientRect();
      return plane.at(Math.floor((event.clientX - box.left) / plane.size), Math.floor((event.clientY - box.top) / plane.size));
    };
    const onKeyDown = (event) => {
      const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
      if (event.key === "Enter" && place) select(place.locations);
      if (!step) return;
      event.preventDefault();
      setPlace((from) => from ? plane.at(from.x + step[0], from.y + step[1]) ?? from : plane.at(0, 0));
    };
    const svg = () => {
      const context = new SvgContext(...room);
      draw4(context, drawing);
      return context.text;
    };
    const amount3 = (value) => written({ amount: value === value ? value : null, gap: "not measured" }, unit).text;
    const tell3 = (locations) => {
      const single = locations.slice(0, MOST_TOLD).map((location2) => `${experiment.nameOfLocation(location2)}: ${amount3(sumOf(values, [location2]))}`);
      const more = locations.length > MOST_TOLD ? `, and ${locations.length - MOST_TOLD} more` : "";
      return `${single.join(", ")}${more}${locations.length > 1 ? `; together ${amount3(sumOf(values, locations))}` : ""}`;
    };
    const told2 = place && tell3(place.locations);
    const [low, high] = scale.signed ? [amount3(-scale.top), amount3(scale.top)] : ["0", amount3(scale.top)];
    return html`
    <div class="map-tools">
      ${grids.length > 1 && html`<label>grid <select value=${which} onChange=${(event) => setWhich(Number(event.currentTarget.value))}>${grids.map((each, number) => html`<option value=${number}>${each.name || `grid ${number + 1}`}</option>`)}</select></label>`}
      <span class="remark">${grid.name ? `${grid.name}: ` : ""}${grid.dimensions.map(([name, size, periodic]) => `${name ? `${name} ` : ""}${size}${periodic ? " periodic" : ""}`).join(" × ")}</span>
      ${grid.dimensions.slice(2).map(
      ([name, size], number) => html`<label>${name || `dimension ${number + 3}`} <input type="number" min="0" max=${size - 1} value=${cut[number] ?? 0} onInput=${(event) => setCut(Object.assign([...cut], { [number]: Math.max(0, Math.min(size - 1, Math.floor(Number(event.currentTarget.value)))) }))} /></label>`
    )}
      ${clusters.length > 1 && html`<label>colour <select value=${by} onChange=${(event) => setBy(event.currentTarget.value)}><option value="value">value</option><option value="cluster">cluster</option></select></label>`}
    </div>
    <div class="grid"><canvas ref=${canvas} tabindex="0" role="img" aria-label=${`Grid of ranks; arrows move, Enter selects. ${told2 ?? ""}`}
      onMouseMove=${(event) => setPlace(at(event))} onMouseLeave=${() => setPlace(null)} onClick=${(event) => at(event) && select(at(event).locations)} onKeyDown=${onKeyDown}></canvas></div>
    ${by === "value" && html`<${Scale} title=${browser.named} low=${low} high=${high} colour=${scale.signed ? (at2) => signColour(2 * at2 - 1) : sizeColour} hatched=${values.known.some((known) => !known)} />`}
    <p class="told" aria-live="polite">${told2 || "Point at a rank, or use the arrow keys, to read its value. Click a rank to select it."}</p>
    <${Copies} name="grid" svg=${svg} rows=${() => [
      [experiment.kind, ...grid.dimensions.map(([name], number) => name || `dimension ${number + 1}`), `${browser.named} (${unit})`],
      ...grid.places.flatMap((each, location2) => each ? [[experiment.nameOfLocation(location2), ...each, values.known[location2] ? values.amounts[location2] : null]] : [])
    ]} />
  `;
  }
  function planeOf(grid, cut) {
    const [width, height] = [grid.dimensions[0]?.[1] ?? 1, grid.dimensions[1]?.[1] ?? 1];
    const size = Math.max(SMALLEST2, Math.min(LARGEST3, Math.floor(900 / Math.max(width, height))));
    const found = /* @__PURE__ */ new Map();
    grid.places.forEach((place, location2) => {
      if (!place || place.slice(2).some((at2, number) => at2 !== (cut[number] ?? 0))) return;
      const key = place[0] + width * (place[1] ?? 0);
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(location2);
    });
    const at = (x, y) => x < 0 || y < 0 || x >= width || y >= height || !found.has(x + width * y) ? null : { x, y, locations: found.get(x + width * y) };
    return { width, height, size, found, at };
  }
  function sumOf({ amounts, known }, locations) {
    return locations.reduce((sum2, location2) => known[location2] ? (sum2 === sum2 ? sum2 : 0) + amounts[location2] : sum2, NaN);
  }
  function scaleOf2(grid, values) {
    const members = /* @__PURE__ */ new Map();
    grid.places.forEach((place, location2) => place && members.set(place.join(), [...members.get(place.join()) ?? [], location2]));
    const sums = [...members.values()].map((locations) => sumOf(values, locations)).filter((sum2) => sum2 === sum2);
    return { top: sums.reduce((most3, sum2) => Math.max(most3, Math.abs(sum2)), 0), signed: sums.some((sum2) => sum2 < 0) };
  }
  function draw4(context, { plane, values, scale: { top, signed: signed2 }, clusters, by, place, experiment, unit }) {
    const { width, size, found } = plane;
    context.font = `${Math.min(12, size - 4)}px system-ui, sans-serif`;
    const of = new Map(clusters.flatMap((members, number) => members.map((location2) => [location2, number])));
    for (const [key, locations] of found) {
      const [x, y] = [key % width * size, Math.floor(key / width) * size];
      const value = sumOf(values, locations);
      const number = of.get(locations[0]);
      if (by === "value" && value !== value) {
        hatch(context, x, y, size - 1, size - 1);
        continue;
      }
      const part = top ? value / top : 0;
      const ofValue = signed2 ? signColour(part) : sizeColour(part);
      const colour = by === "value" ? ofValue : rgb(number === void 0 ? "#bbbbbb" : clusterColour(number));
      context.fillStyle = css(colour);
      context.fillRect(x, y, size - 1, size - 1);
      context.fillStyle = inkOn(colour);
      if (size >= (by === "value" ? NUMBERED2 : LETTERED)) context.fillText(experiment.nameOfLocation(locations[0]).split(" ").at(-1), x + 3, y + LINE2 - 2, size - 5);
      if (by === "cluster" && number !== void 0 && size >= LINE2) context.fillText(letters(number), x + 3, y + size - 5);
      if (by === "value" && size >= VALUED) context.fillText(written({ amount: value, gap: "" }, unit).text, x + 3, y + size - 5, size - 5);
    }
    if (place) frame(context, place.x * size + 1, place.y * size + 1, size - 3, size - 3);
  }

  // src/parts/tree_view.js
  var ROW3 = 24;
  var DEEPEST = 16;
  var LONGEST2 = 300;
  function TreeView({ name, title, rows, focus, ranges: ranges2, about, signed: signed2, gains, actions }) {
    const box = useRef(null);
    const [view, look] = useWindow(box, ROW3, []);
    const at = Math.max(0, Math.min(focus, rows.length - 1));
    useLayoutEffect(() => {
      const { scrollTop, clientHeight } = box.current;
      if (at * ROW3 < scrollTop) box.current.scrollTop = at * ROW3;
      else if ((at + 1) * ROW3 > scrollTop + clientHeight) box.current.scrollTop = (at + 1) * ROW3 - clientHeight;
      look();
    }, [at, rows]);
    const from = Math.min(view.from, Math.max(0, rows.length - view.count));
    const shown = Array.from({ length: Math.min(view.count, rows.length - from) }, (_, place) => from + place);
    const id = (place) => `${name}-${place}`;
    return html`
    <div
      class="tree"
      ref=${box}
      role="tree"
      id=${`tree-${name}`}
      aria-label=${title}
      aria-multiselectable="true"
      aria-activedescendant=${rows.length ? id(at) : void 0}
      tabindex="0"
      onScroll=${look}
      onKeyDown=${(event) => actions.key(event, rows, at)}
    >
      <div class="room" role="presentation" style=${{ height: `${rows.length * ROW3}px` }}>
        <div class="rows" role="presentation" style=${{ transform: `translateY(${from * ROW3}px)` }}>
          ${shown.map(
      (place) => html`<${Row}
              key=${place}
              id=${id(place)}
              row=${rows.row(place)}
              focused=${place === at}
              range=${ranges2?.(rows.order[place])}
              about=${about?.(rows.order[place])}
              signed=${signed2}
              gains=${gains}
              onClick=${(event) => actions.click(event, rows, place)}
            />`
    )}
        </div>
      </div>
    </div>
  `;
  }
  var WHY = {
    "per rank": "known only for whole processes; the value is at the root of the call tree",
    "not summed": "not summed, because the sum would have no meaning; only a single call path on a single rank has a value"
  };
  var TOGGLES = { open: "▾", closed: "▸", leaf: "", folded: "…" };
  function Row({ id, row, focused, range: range2, about, signed: signed2, gains, onClick }) {
    const { text: exact, sign } = written(row.value, row.unit);
    const text = gains ? exact.replace(/^-/, "") : exact;
    const missing = row.value.amount === null;
    const partial = row.value.gap === "partial";
    const relief = missing ? "none" : sign > 0 ? "raised" : sign < 0 ? "sunken" : "flat";
    const mark = (signed2 || gains) && sign ? sign > 0 === !gains ? "▲" : "▼" : "";
    const colour = row.colour === null ? void 0 : css(sizeColour(row.colour));
    const classes = ["row", row.state, row.selected ? "selected" : "", focused ? "focused" : ""].join(" ");
    const spoken = `${row.label}, ${text}${mark && gains ? sign > 0 ? " less" : " more" : ""}${partial ? ", partly measured" : ""}`;
    return html`
    <div
      class=${classes}
      id=${id}
      role="treeitem"
      aria-level=${row.depth + 1}
      aria-posinset=${row.position}
      aria-setsize=${row.siblings}
      aria-selected=${row.selected}
      aria-expanded=${row.state === "leaf" || row.state === "folded" ? void 0 : row.state === "open"}
      aria-label=${spoken}
      title=${about ?? (row.label.length > LONGEST2 ? `${row.label.slice(0, LONGEST2)}…` : row.label)}
      onClick=${onClick}
    >
      <span class=${`square ${relief} ${row.value.gap === "not measured" ? "hatched" : ""}`} style=${{ backgroundColor: colour }}></span>
      <span class=${missing ? "value missing" : "value"} title=${WHY[row.value.gap]}>${mark && html`<span class=${sign > 0 ? "up" : "down"}>${mark}</span>`}${text}${partial && html`<span class="partial" title="some values were not measured">~</span>`}</span>
      <span class="bar"><span style=${{ width: `${100 * (row.part ?? 0)}%` }}></span></span>
      ${range2 !== void 0 && html`<${Strip} range=${missing ? null : range2} unit=${range2?.unit} />`}
      <span class="name" style=${{ paddingLeft: `${Math.min(row.depth, DEEPEST) * 0.7}rem` }}
        ><span class="toggle" aria-hidden="true">${TOGGLES[row.state]}</span>${row.label}</span
      >
    </div>
  `;
  }
  function Strip({ range: range2 }) {
    if (!range2) return html`<span class="strip"></span>`;
    const { least: least2, mean, most: most3, who, scale, unit } = range2;
    const wide = scale.high - scale.low;
    const place = (value) => wide > 0 ? 60 * (value - scale.low) / wide : 0;
    const amount3 = (value) => written({ amount: value, gap: "" }, unit).text;
    const [first, last] = who ? [` (rank ${who.least})`, ` (rank ${who.most}), deviation ${amount3(who.deviation)}`] : ["", ""];
    const said = `per location: minimum ${amount3(least2)}${first}, mean ${amount3(mean)}, maximum ${amount3(most3)}${last}`;
    return html`
    <span class="strip" title=${said}>
      <svg width="62" height="12" viewBox="-1 0 62 12" aria-hidden="true">
        <line x1=${place(least2)} x2=${place(most3)} y1="6" y2="6" />
        <line x1=${place(mean)} x2=${place(mean)} y1="1" y2="11" />
      </svg>
    </span>
  `;
  }

  // src/model/sums.js
  var Sums = class {
    // `read` returns a promise of a metric's values, by call path and location.
    constructor(head, sums, read) {
      this.head = head;
      this.metrics = head.metrics;
      this.parts = head.metrics.map(
        (_, place) => head.metrics.flatMap(
          (metric, part) => head.trees.metrics.parents[part] === place && metric.aggregation === "sum" ? [part] : []
        )
      );
      this.paths = head.trees.calls.labels.length;
      this.columns = head.locations.length;
      this.laterThreads = head.locations.map(([, thread]) => thread > 0);
      this.sums = sums;
      this.read = read;
      this.values = /* @__PURE__ */ new Map();
      this.totals = /* @__PURE__ */ new Map();
      this.lastAsked = /* @__PURE__ */ new Map();
      this.kept = /* @__PURE__ */ new WeakMap();
    }
    // Returns the result of `make` for a tree and a key. One result is cached for each tree and first word of the key.
    once(tree, key, make) {
      if (!this.kept.has(tree)) this.kept.set(tree, /* @__PURE__ */ new Map());
      const found = this.kept.get(tree);
      const name = key.split(" ")[0];
      if (found.get(name)?.key !== key) found.set(name, { key, made: make() });
      return found.get(name).made;
    }
    // Waits until the values of some metrics and of their child metrics are loaded.
    async load(metrics) {
      const missing = [...new Set([...metrics].flatMap((each) => [each, ...this.parts[each]]))].filter(
        (each) => !this.values.has(each)
      );
      for (const each of missing) this.values.set(each, await this.read(this.metrics[each].name));
    }
    // Reads all remaining metrics while the page is idle.
    async loadAll(idle) {
      for (const metric of this.metrics.keys()) {
        await idle();
        await this.load([metric]);
      }
    }
    // Returns whether some sums are negative, as in a difference. Rounding errors are ignored.
    get signed() {
      return this.metrics.some((_, metric) => {
        const { amounts } = this.byPath(metric);
        const most3 = amounts.reduce((size, amount3) => Math.max(size, Math.abs(amount3) || 0), 0);
        return amounts.some((amount3) => amount3 < -1e-9 * most3);
      });
    }
    byPath(metric) {
      const part = (number) => this.sums.subarray((3 * metric + number) * this.paths, (3 * metric + number + 1) * this.paths);
      return new Tally(this.metrics[metric].aggregation, part(0), part(1), part(2));
    }
    total(metric) {
      if (!this.totals.has(metric)) this.totals.set(metric, this.byPath(metric).together());
      return this.totals.get(metric);
    }
    // Returns the values of the selected metrics and program nodes at each system node; null if the page has none.
    ofSystem(browser) {
      const { paths } = browser;
      return browser.spread((metric) => this.byLocation(metric, paths), browser.panes.system.tree);
    }
    // Returns the values of the selected metrics and program nodes by location; null if the page has none.
    ofLocations(browser) {
      return browser.selected((metric) => this.byLocation(metric, browser.paths));
    }
    // Returns the values of a metric by location, aggregated over some call paths. The last result per metric is cached.
    byLocation(metric, paths) {
      const known = this.lastAsked.get(metric);
      if (known?.paths === paths) return known.tally;
      const tally = this.fresh(metric, paths);
      this.lastAsked.set(metric, { paths, tally });
      return tally;
    }
    // Returns those of some call paths that have values of a metric of whole processes; if there are none, all call paths
    // that have values.
    ofProcesses(metric, paths) {
      const { known, gaps } = this.byPath(metric);
      const has = (path) => known[path] + gaps[path] > 0;
      const found = paths.filter(has);
      return found.length ? found : [...known.keys()].filter(has);
    }
    fresh(metric, paths) {
      const tally = Tally.nothing(this.metrics[metric].aggregation, this.columns);
      const { amounts, known: measured, gaps, operation } = tally;
      const values = this.values.get(metric);
      const adds = tally.aggregation === "sum" || tally.aggregation === "none";
      const { perRank } = this.metrics[metric];
      for (const path of perRank ? this.ofProcesses(metric, paths) : paths) {
        const row = path * this.columns;
        for (let location2 = 0; location2 < this.columns; location2++) {
          const value = values[row + location2];
          if (value !== value) gaps[location2]++;
          else {
            measured[location2]++;
            amounts[location2] = adds ? amounts[location2] + value : operation(amounts[location2], value);
          }
        }
      }
      if (perRank) {
        this.laterThreads.forEach((later, location2) => {
          if (later && !amounts[location2]) measured[location2] = gaps[location2] = 0;
        });
      }
      return tally;
    }
  };

  // src/model/part_sums.js
  var PartSums = class extends Sums {
    // `whole`: the values of the whole run. `locations`: the locations to keep. `valuesOf`: returns the values of a
    // loaded metric, by call path and kept location.
    constructor(whole2, locations, valuesOf) {
      super({ ...whole2.head, locations: locations.map((each) => whole2.head.locations[each]) }, null, null);
      this.whole = whole2;
      this.tallies = /* @__PURE__ */ new Map();
      const kept2 = /* @__PURE__ */ new Map();
      this.values = {
        has: (metric) => whole2.values.has(metric),
        get: (metric) => {
          if (!kept2.has(metric)) kept2.set(metric, valuesOf(metric));
          return kept2.get(metric);
        }
      };
    }
    load(metrics) {
      return this.whole.load(metrics);
    }
    byPath(metric) {
      if (!this.tallies.has(metric)) this.tallies.set(metric, this.#sumsOf(metric));
      return this.tallies.get(metric);
    }
    #sumsOf(metric) {
      const { aggregation, perRank } = this.metrics[metric];
      const values = this.values.get(metric);
      const whole2 = this.whole.byPath(metric);
      const found = Tally.nothing(aggregation, this.paths);
      for (let path = 0; path < this.paths; path++) {
        if (!(whole2.known[path] + whole2.gaps[path])) continue;
        for (let location2 = 0; location2 < this.columns; location2++) {
          const value = values[path * this.columns + location2];
          if (perRank && !value && this.laterThreads[location2]) continue;
          if (value !== value) found.gaps[path]++;
          else {
            found.known[path]++;
            found.amounts[path] = found.operation(found.amounts[path], value);
          }
        }
      }
      return found;
    }
  };
  var RankSums = class extends PartSums {
    constructor(whole2, locations) {
      super(whole2, locations, (metric) => {
        const all = whole2.values.get(metric);
        const found = new Float64Array(whole2.paths * locations.length);
        for (let path = 0, at = 0; path < whole2.paths; path++) {
          for (const location2 of locations) found[at++] = all[path * whole2.columns + location2];
        }
        return found;
      });
    }
  };
  var IntervalSums = class extends PartSums {
    // `metric`: the time metric. `seconds`: the times, by call path and location. `rest`: the seconds whose call path is
    // unknown.
    constructor(whole2, metric, { seconds: seconds2, rest }) {
      const unknown = new Float64Array(seconds2.length).fill(NaN);
      super(whole2, [...whole2.head.locations.keys()], (each) => each === metric ? seconds2 : unknown);
      this.rest = rest;
    }
  };

  // src/state.js
  var BASES = [null, "root", "selection", "other"];
  var MOST_RANKS = 64;
  var start = (page) => {
    const experiment = page.experiments.run;
    return { experiment: "run", browser: experiment.start(), basis: null, flat: false, filtered: false, grouping: experiment.grouping, tab: page.tab, time: timeOf(page.times, /* @__PURE__ */ new Map()), source: page.hasSources, calls: null };
  };
  function opening(page, fragment) {
    const pieces = piecesOf(fragment);
    const asked = pieces.has("n");
    const number = asked ? Number(pieces.get("n")) - 1 : fragment ? -1 : 0;
    const found = page.findings[number];
    if (found) return { state: { ...start(page), browser: browserOf(page, found) }, finding: number, asked };
    return { state: fragment && !asked ? stateOf(page, pieces) : start(page), finding: -1, asked: false };
  }
  async function load(page, state) {
    const { browser, filtered } = state;
    const range2 = intervalOf(page, state);
    if (range2) await page.times[state.time.trace].load([]);
    await browser.sums.load(filtered || range2 ? browser.sums.metrics.keys() : browser.metrics);
  }
  function stateOf(page, pieces) {
    const name = pieces.get("e") === "difference" && page.experiments.difference ? "difference" : "run";
    const experiment = page.experiments[name];
    const { panes, sums } = experiment.start();
    const flat = pieces.get("f") === "flat";
    const grouping = Object.hasOwn(experiment.trees.systems, pieces.get("g") ?? "") ? pieces.get("g") : experiment.grouping;
    const program = flat ? new Pane(experiment.trees.flat, { selected: [experiment.trees.flat.home[[...panes.program.selected][0]]] }) : panes.program;
    const system = grouping === experiment.grouping ? panes.system : new Pane(experiment.trees.systems[grouping]);
    const browser = new Browser(sums, { metrics: paneOf(panes.metrics, pieces, "m"), program: paneOf(program, pieces, "c"), system: paneOf(system, pieces, "s") });
    const basis = BASES.find((each) => VALUES[each ?? "absolute"] === pieces.get("v")) ?? null;
    const tab = TABS.some(([each]) => each === pieces.get("t")) ? pieces.get("t") : null;
    const filtered = pieces.get("r") === "only";
    return ofTime(page, { experiment: name, browser, basis: basis === "other" && !page.other ? null : basis, flat, filtered, grouping, tab, time: timeOf(page.times, pieces), source: { on: true, off: false }[pieces.get("src")] ?? page.hasSources, calls: null });
  }
  function carried(page, seen, name) {
    const pieces = piecesOf(fragmentOf(seen));
    for (const key of ["mo", "co", "so", "mu", "cu", "ti"]) pieces.delete(key);
    pieces.set("e", name);
    pieces.delete("g");
    return stateOf(page, pieces);
  }
  function browserOf(page, { metric, withoutParts, path, locations }) {
    const experiment = page.experiments.run;
    let browser = experiment.start();
    const node = experiment.head.metrics.findIndex(({ name }) => name === metric);
    if (node >= 0) browser = browser.selecting("metrics", [node]);
    if (node >= 0 && withoutParts) browser = browser.opened("metrics", [node]);
    if (path !== null) browser = browser.closed("program", [path]).selecting("program", [path]);
    if (!experiment.head.large && locations.length && locations.length <= MOST_RANKS) browser = browser.selecting("system", nodesOf(browser.panes.system.tree, locations));
    return browser;
  }
  var nodesOf = (tree, locations) => [...new Set(locations.map((location2) => tree.home[location2]))];
  function locationsOf({ browser: { sums, panes: { system } }, filtered }) {
    if (!filtered || sums.large) return null;
    const found = system.tree.cells(system.tree.walk(system.selected));
    return found.length && found.length < sums.columns ? found : null;
  }
  var timeIn = ({ head }) => head.metrics.findIndex(({ name, aggregation }) => name === "wall_time" && aggregation === "sum");
  function intervalOf(page, { experiment, time }) {
    const shown = page.experiments[experiment];
    const isOfTrees = experiment === "run" && !shown.head.large && timeIn(shown) >= 0 && page.times[time.trace]?.isInTrees;
    return isOfTrees ? time.range : null;
  }
  function ofTime(page, state) {
    if (!intervalOf(page, state)) return state;
    const metric = timeIn(page.experiments.run);
    return { ...state, browser: state.browser.closed("metrics", [metric]).selecting("metrics", [metric]) };
  }
  var kept = /* @__PURE__ */ new WeakMap();
  function partOf(sums, key, make) {
    if (kept.get(sums)?.key !== key) kept.set(sums, { key, made: make() });
    return kept.get(sums).made;
  }
  function inInterval(page, state) {
    const { browser, time } = state;
    const range2 = intervalOf(page, state);
    if (!range2) return browser;
    const { sums } = browser;
    const seconds2 = () => page.times[time.trace].secondsIn(range2, sums.paths, sums.columns);
    return browser.of(partOf(sums, `${time.trace} ${range2}`, () => new IntervalSums(sums, timeIn(page.experiments.run), seconds2())));
  }
  function shownOf(page, state) {
    const browser = inInterval(page, state);
    const only = locationsOf(state);
    return only ? browser.of(partOf(browser.sums, only.join(), () => new RankSums(browser.sums, only))) : browser;
  }

  // src/app.js
  function App({ page, first }) {
    const [state, setState] = useState(first.state);
    const [focus, setFocus] = useState(() => aimed(page, { metrics: 0, program: 0, system: 0 }, first.state, DIMENSIONS));
    const [help, setHelp] = useState(false);
    const [finding, setFinding] = useState(first.finding);
    const [widths, setWidths] = useState({});
    const [failure, setFailure] = useState(null);
    const now = useRef(state);
    const lastTree = useRef("program");
    const { basis, flat, grouping, tab, time, source } = state;
    const experiment = page.experiments[state.experiment];
    const only = useMemo(() => locationsOf(state), [state.browser, state.filtered]);
    const within = intervalOf(page, state);
    const bases = BASES.filter((each) => each !== "other" || page.other && !only && !within);
    const base = bases.includes(basis) ? basis : null;
    const whole2 = base === "other" ? page.other.totals : base;
    const browser = useMemo(() => shownOf(page, state), [state.browser, only, within]);
    const ofAll = useMemo(() => inInterval(page, state), [state.browser, within]);
    const rows = useMemo(() => Object.fromEntries(DIMENSIONS.map((each) => [each, rowsOf(each === "system" ? ofAll : browser, each, whole2)])), [browser, ofAll, whole2]);
    const spread = useMemo(() => ranges(browser), [browser]);
    const titles = { metrics: "Metric", program: flat ? "Region" : "Call path", system: grouping === "cluster" ? "Cluster, rank" : "Machine, rank" };
    async function go(change, { finding: number = -1, aim = null } = {}) {
      const before = now.current.browser;
      document.body.setAttribute("aria-busy", "true");
      const next = { ...now.current, ...typeof change === "function" ? change(now.current) : change };
      now.current = next;
      try {
        await load(page, next);
      } catch (error) {
        setFailure(String(error));
        document.body.removeAttribute("aria-busy");
        return;
      }
      if (now.current !== next) return;
      document.body.removeAttribute("aria-busy");
      setState(next);
      if (next.browser !== before) setFinding(number);
      history.replaceState(null, "", `#${fragmentOf(next)}`);
      if (aim) setFocus((seen) => aimed(page, seen, next, aim));
    }
    const tree = (change) => go((seen) => ({ browser: change(seen.browser) }));
    function toFinding(number) {
      const found = page.findings[number];
      if (!found) return;
      go((seen) => ({ ...start(page), tab: seen.tab, time: { ...seen.time, range: null }, source: seen.source, browser: browserOf(page, found) }), { finding: number, aim: DIMENSIONS }).then(lookThere);
    }
    function fromAddress(event) {
      const pieces = piecesOf(new URL(event.newURL).hash);
      if (pieces.has("n")) return toFinding(Number(pieces.get("n")) - 1);
      return go(stateOf(page, pieces), { aim: DIMENSIONS });
    }
    useLayoutEffect(() => {
      history.replaceState(null, "", `#${fragmentOf(first.state)}`);
      if (first.asked) lookThere();
      addEventListener("hashchange", fromAddress);
      return () => removeEventListener("hashchange", fromAddress);
    }, []);
    function selectPath(path, locations = []) {
      go((seen) => {
        let next = seen.browser;
        const node = seen.flat ? experiment.trees.flat.home[path] : path;
        next = next.selecting("program", [node]);
        if (!locations.length || experiment.head.large) return { browser: next };
        return { browser: next.selecting("system", nodesOf(next.panes.system.tree, locations)), filtered: true };
      }, { aim: ["program", "system"] });
    }
    const selectRegion = (region) => selectPath(heaviestPath(browser, experiment, region));
    function switchTree(toFlat) {
      go((seen) => {
        const tree2 = toFlat ? experiment.trees.flat : experiment.trees.calls;
        const paths = selectedPaths(seen.browser, experiment);
        const nodes = toFlat ? [...new Set(paths.map((path) => experiment.trees.flat.home[path]))] : [heaviestPath(seen.browser, experiment, experiment.trees.flat.home[paths[0]])];
        const pane2 = (toFlat ? new Pane(tree2) : seen.calls ?? new Pane(tree2)).selecting(nodes);
        return { flat: toFlat, calls: toFlat ? seen.browser.panes.program : null, browser: seen.browser.with("program", pane2) };
      }, { aim: ["program"] });
    }
    function group(name) {
      go((seen) => {
        const tree2 = experiment.trees.systems[name];
        const pane2 = new Pane(tree2, { open: tree2.children(-1).length > 1 ? [] : tree2.children(-1) });
        return { grouping: name, browser: seen.browser.with("system", pane2), filtered: false };
      });
    }
    function show(difference) {
      const name = difference ? "difference" : "run";
      go((seen) => ({ ...carried(page, seen, name), tab: seen.tab }), { aim: DIMENSIONS });
    }
    function find(dimension, node) {
      lastTree.current = dimension;
      go((seen) => ({ browser: seen.browser.selecting(dimension, [node]), filtered: seen.filtered || dimension === "system" }), { aim: [dimension] });
    }
    const actions = (dimension) => ({
      click(event, shown, place) {
        document.getElementById(`tree-${dimension}`).focus({ preventScroll: true });
        setFocus((seen) => ({ ...seen, [dimension]: place }));
        const row = shown.row(place);
        if (row.state === "folded") return tree((seen) => seen.unfolding(dimension, row.above));
        if (event.target.closest(".toggle") && row.state !== "leaf") return toggle(dimension, row);
        return select(dimension, row.nodes[0], event.ctrlKey || event.metaKey || event.shiftKey);
      },
      key(event, shown, at) {
        if (event.altKey || !shown.length) return;
        const row = shown.row(at);
        const move = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1, PageDown: at + 15, PageUp: at - 15 }[event.key];
        if (move !== void 0) {
          event.preventDefault();
          const to = Math.max(0, Math.min(shown.length - 1, move));
          setFocus((seen) => ({ ...seen, [dimension]: to }));
          const next = shown.row(to);
          if (!event.ctrlKey && next.state !== "folded") select(dimension, next.nodes[0], false);
        } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
          event.preventDefault();
          const inwards = event.key === "ArrowRight";
          if (row.state === "folded") inwards ? tree((seen) => seen.unfolding(dimension, row.above)) : toNode(dimension, row.above);
          else if (inwards && row.state === "closed") tree((seen) => seen.opened(dimension, [row.nodes[0]]));
          else if (inwards && row.state === "open") actions(dimension).key(new KeyboardEvent("keydown", { key: "ArrowDown", ctrlKey: event.ctrlKey }), shown, at);
          else if (!inwards && row.state === "open") tree((seen) => seen.closed(dimension, [row.nodes[0]]));
          else if (!inwards) toNode(dimension, row.above);
        } else if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          if (row.state === "folded") tree((seen) => seen.unfolding(dimension, row.above));
          else select(dimension, row.nodes[0], event.ctrlKey);
        }
      }
    });
    function toggle(dimension, row) {
      const change = row.state === "open" ? "closed" : "opened";
      tree((seen) => seen[change](dimension, row.nodes));
    }
    function select(dimension, node, beside2) {
      go(({ browser: seen, filtered }) => {
        const { selected } = seen.panes[dimension];
        const without = [...selected].filter((each) => each !== node);
        const to = (nodes) => ({ browser: seen.selecting(dimension, nodes), filtered: dimension === "system" ? nodes.length > 0 : filtered });
        if (!beside2) return to([node]);
        if (!selected.has(node)) return to([...selected, node]);
        return without.length || dimension === "system" ? to(without) : {};
      });
    }
    function changeTime(part) {
      const isOfRange = "range" in part;
      go((seen) => {
        const next = { ...seen, time: { ...seen.time, ...part } };
        return isOfRange ? ofTime(page, next) : next;
      }, { finding, aim: isOfRange ? ["metrics"] : null });
    }
    const ofAllAgain = () => go((seen) => ({ browser: seen.browser.selecting("system", []), filtered: false }));
    function toNode(dimension, node) {
      if (node < 0) return;
      const place = rows[dimension].order.indexOf(node);
      setFocus((seen) => ({ ...seen, [dimension]: place }));
      select(dimension, node, false);
    }
    const values = () => {
      go({ basis: bases[(bases.indexOf(now.current.basis) + 1) % bases.length] });
    };
    const goTab = (name) => go((seen) => ({ tab: seen.tab === name ? null : name }));
    useEffect(() => {
      const onKey = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || help) return;
        const typing = event.target.matches?.("input:not([type=checkbox]), select, textarea");
        if (typing && event.key !== "Escape") return;
        const act = {
          "/": () => document.getElementById("search").focus(),
          "[": () => toFinding(Math.max(0, finding - 1)),
          "]": () => toFinding(Math.min(page.findings.length - 1, finding + 1)),
          v: values,
          s: () => go((seen) => ({ source: !seen.source })),
          "?": () => setHelp(true),
          Escape: () => typing ? document.getElementById(`tree-${lastTree.current}`).focus() : go({ tab: null })
        }[event.key];
        const place = TABS.findIndex((_, number) => event.key === keyOf(number));
        if (!act && place < 0) return;
        event.preventDefault();
        if (act) act();
        else goTab(TABS[place][0]);
      };
      addEventListener("keydown", onKey);
      return () => removeEventListener("keydown", onKey);
    }, [help, finding, page]);
    const held = useRef(null);
    useEffect(() => {
      const hold = ({ target }) => held.current = target;
      addEventListener("focusin", hold);
      return () => removeEventListener("focusin", hold);
    }, []);
    useLayoutEffect(() => {
      if (held.current && !held.current.isConnected && document.activeElement === document.body) document.getElementById(`tree-${lastTree.current}`).focus({ preventScroll: true });
    });
    const shownNodes = useMemo(() => rows.program.order.filter((node) => node >= 0), [rows]);
    if (failure) return html`<p class="remark warning">The data in this page cannot be read: ${failure}</p>`;
    const range2 = (node) => node < 0 || !spread ? null : rangeOf(spread, rows.program, node);
    const aboutMetric = (node) => {
      if (node < 0) return void 0;
      const { name, about, source: from } = experiment.head.metrics[node];
      return `${[name, about].filter(Boolean).join(": ")} (${from})`;
    };
    const groupings = Object.keys(experiment.trees.systems);
    const width = (name) => widths[name] ? `${widths[name]}px` : "minmax(13rem, 1.2fr)";
    const columns = { gridTemplateColumns: [width("metrics"), "6px", widths.program ? `${widths.program}px` : "minmax(17rem, 1.8fr)", "6px", widths.system ? `${widths.system}px` : "minmax(14rem, 1.2fr)", ...source ? ["6px", "minmax(18rem, 1.6fr)"] : []].join(" ") };
    const tallest = Math.max(...DIMENSIONS.map((each) => rows[each].length));
    const height = `max(${source ? 28 : 16}rem, ${tallest * ROW3 + 72}px)`;
    const pane = (dimension, tools) => html`
    <section class=${`pane ${dimension}`} aria-label=${titles[dimension]} onFocusIn=${() => lastTree.current = dimension}>
      <h2 class="pane-title"><span>${titles[dimension]}</span>${tools}</h2>
      <${TreeView}
        name=${dimension}
        title=${titles[dimension]}
        rows=${rows[dimension]}
        focus=${focus[dimension]}
        ranges=${dimension === "program" ? range2 : void 0}
        about=${dimension === "metrics" ? aboutMetric : void 0}
        signed=${experiment.signed}
        gains=${experiment.head.difference}
        actions=${actions(dimension)}
      />
      ${dimension === "system" && !ofAll.ofSystem && html`<p class="remark">This page does not contain these values. It has values of single ranks only for the findings' call paths, and values of ranges of ranks (“bins”) only for ${experiment.head.large.metrics.join(", ")}. To see all values of a part of the run, extract this part with <code>autoanalyzer cut</code>.</p>`}
      <${Legend} legend=${rows[dimension].legend} signed=${experiment.signed} gains=${experiment.head.difference} />
    </section>
  `;
    const selectNode = (node, locations) => {
      const path = flat ? heaviestPath(browser, experiment, node) : node;
      selectPath(path, locations);
    };
    const clusters = experiment.head.large ? [] : page.clusters;
    const shared = { browser, experiment, clusters };
    const sharedOfAll = { ...shared, browser: ofAll };
    const metric = experiment.head.metrics[browser.metrics[0]].name;
    const limits = [
      only && "Metrics and call paths show only the values of the selected ranks.",
      within && `In the interval, only wall time is known. It comes from the time lines: each step of ${amount(page.times[time.trace].step / page.times[time.trace].fine, "sec")} counts for the call path that takes most of it${ofAll.sums.rest > 0 ? `; ${amount(ofAll.sums.rest, "sec")} in several short regions is left out` : ""}.`
    ].filter(Boolean).join(" ");
    const inBoth = page.other?.totals.has(metric) && page.experiments.run.head.metrics.some(({ name }) => name === metric);
    return html`
    <div class="toolbar">
      <label>values <select value=${VALUES[base ?? "absolute"]} onChange=${(event) => go({ basis: BASES.find((each) => VALUES[each ?? "absolute"] === event.currentTarget.value) })}>
        <option value="abs">absolute</option>
        <option value="pct">% of the program</option>
        <option value="sel">% of the selection</option>
        ${bases.includes("other") && html`<option value="other">% of ${page.other.name}</option>`}
      </select></label>
      <label>program <select value=${flat ? "flat" : "calls"} onChange=${(event) => switchTree(event.currentTarget.value === "flat")}><option value="calls">call tree</option><option value="flat">flat profile</option></select></label>
      ${groupings.length > 1 && html`<label>system by <select value=${grouping} onChange=${(event) => group(event.currentTarget.value)}>${groupings.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`}
      ${only && html`<${Filter} text=${namesOf(experiment, only)} title="in metrics, call paths, flat profile, callers and source" back=${`show all ${experiment.kind}s`} end=${ofAllAgain} />`}
      ${within && html`<${Filter} text=${`${page.times[time.trace].span(within).replace(":", " to ")} s`} title="in all trees, ranks × regions, flat profile, topology, callers, icicle and source" back="show the whole run" end=${() => changeTime({ range: null })} />`}
      <${Search} trees=${Object.fromEntries(DIMENSIONS.map((each) => [each, browser.panes[each].tree]))} titles=${titles} show=${find} />
      <button aria-pressed=${source} onClick=${() => go((seen) => ({ source: !seen.source }))}>source</button>
      <button onClick=${() => setHelp(true)} aria-haspopup="dialog">keys <kbd>?</kbd></button>
    </div>
    ${finding >= 0 && html`<p class="finding-bar" aria-live="polite"><b>${finding + 1}</b> ${page.findings[finding].title} <button onClick=${() => toFinding(finding - 1)} aria-disabled=${finding <= 0} aria-label="previous finding">[</button><button onClick=${() => toFinding(finding + 1)} aria-disabled=${finding >= page.findings.length - 1} aria-label="next finding">]</button></p>`}
    <div class="trees" style=${{ ...columns, "--height": height }}>
      ${pane("metrics")}
      <${Splitter} name="the metric tree" width=${widths.metrics} setWidth=${(metrics) => setWidths((seen) => ({ ...seen, metrics }))} />
      ${pane("program", html`<small>min – mean – max of the ${experiment.kind}s</small>`)}
      <${Splitter} name="the call tree" width=${widths.program} setWidth=${(program) => setWidths((seen) => ({ ...seen, program }))} />
      ${pane("system")}
      ${source && html`<${Splitter} name="the system tree" width=${widths.system} setWidth=${(system) => setWidths((seen) => ({ ...seen, system }))} />
        <${SourceView} browser=${browser} experiment=${experiment} sources=${page.sources} findings=${page.findings} select=${(path) => selectPath(path)} />`}
    </div>
    <p class="remark">${limits || (experiment.head.difference ? DIFFERENCE : page.basis)}</p>
    <${Tabs} tab=${tab} go=${goTab}>
      ${tab === "ranks" && html`<${HeatMap} ...${sharedOfAll} nodes=${shownNodes} select=${selectNode} />`}
      ${tab === "flat" && html`<${FlatProfile} ...${shared} select=${selectRegion} />`}
      ${tab === "callers" && html`<${Callers} browser=${browser} experiment=${experiment} select=${(path) => selectPath(path)} />`}
      ${tab === "icicle" && html`<${IcicleTab} browser=${browser} experiment=${experiment} difference=${experiment.head.difference || only || within ? null : page.experiments.difference} other=${page.other?.name} select=${(path) => selectPath(path)} />`}
      ${tab === "topology" && html`<${Topology} ...${sharedOfAll} select=${(locations) => selectPath(selectedPaths(browser, experiment)[0], locations)} />`}
      ${tab === "messages" && html`<${Messages} key=${state.experiment} experiment=${experiment} select=${(locations) => selectPath(selectedPaths(browser, experiment)[0], locations)} />`}
      ${tab === "compare" && html`<${Compare} difference=${page.experiments.difference} metric=${metric} inBoth=${inBoth} other=${page.other?.name} compared=${page.other?.compared ?? []} shown=${state.experiment === "difference"} show=${show}
        select=${(region) => selectIn(region)} />`}
      ${["counters", "account"].includes(tab) && html`<${Made} key=${tab} name=${tab} difference=${page.experiments.run.head.difference} />`}
      ${tab === "roofline" && html`<${Roofline} experiment=${experiment} selected=${new Set(selectedPaths(browser, experiment).map((path) => experiment.trees.flat.home[path]))} select=${selectRegion} />`}
      ${tab === "time" && html`<${Time} times=${page.times} state=${time} change=${changeTime} select=${page.experiments.run === experiment ? selectPath : null} />`}
    </${Tabs}>
    ${help && html`<${Help} close=${() => setHelp(false)} />`}
  `;
    function selectIn(region) {
      const { difference } = page.experiments;
      if (state.experiment === "difference") return selectRegion(region);
      const path = difference.head.there.findIndex((there) => difference.trees.flat.home[there] === region);
      if (path >= 0) return selectRegion(experiment.trees.flat.home[path]);
      return go((seen) => {
        const next = carried(page, seen, "difference");
        const node = next.flat ? region : heaviestPath(next.browser, difference, region);
        return { ...next, tab: seen.tab, browser: next.browser.selecting("program", [node]) };
      }, { aim: DIMENSIONS });
    }
  }
  function aimed(page, cursors, state, dimensions) {
    const found = { ...cursors };
    for (const dimension of dimensions) {
      const { order } = rowsOf((dimension === "system" ? inInterval : shownOf)(page, state), dimension, null);
      const place = order.findIndex((node) => state.browser.panes[dimension].selected.has(node));
      if (place >= 0) found[dimension] = place;
    }
    return found;
  }
  function lookThere() {
    const narrow = matchMedia("(max-width: 1100px)").matches;
    requestAnimationFrame(() => document.querySelector(narrow ? ".source, .trees" : ".trees")?.scrollIntoView({ block: narrow ? "start" : "nearest" }));
    if (document.activeElement === document.body) document.getElementById("tree-program").focus({ preventScroll: true });
  }
  var DIFFERENCE = "In the trees, ▼ marks a decrease (a gain), and ▲ an increase (a loss), summed over all ranks. Tables and charts show before minus after.";
  var NO_ROWS = { length: 0, order: [], legend: null };
  var rowsOf = (browser, dimension, basis) => dimension === "system" && !browser.ofSystem ? NO_ROWS : new Rows(browser, dimension, basis);
  function rangeOf(spread, rows, node) {
    const { browser, pane } = rows;
    const of = pane.isOpen(node) ? spread.own : spread.closed;
    if (!of.known[node]) return null;
    const who = browser.sums.large?.noun === "rank" && { least: of.leastWho[node], most: of.mostWho[node], deviation: of.deviation[node] };
    return { who, least: of.least[node], mean: of.mean[node], most: of.most[node], scale: scaleOf3(spread), unit: browser.sums.metrics[browser.metrics[0]].unit };
  }
  var scaleOf3 = (spread) => spread.scale ??= {
    low: finite(spread.own.least, Math.min, finite(spread.closed.least, Math.min, 0)),
    high: finite(spread.own.most, Math.max, finite(spread.closed.most, Math.max, 0))
  };
  var finite = (values, which, start2) => values.reduce((found, value) => Number.isFinite(value) ? which(found, value) : found, start2);

  // src/model/large_sums.js
  var [OWN, CLOSED] = [0, 1];
  var LargeSums = class extends Sums {
    constructor(head, sums, spread, calls, read) {
      super(head, sums, read);
      this.calls = calls;
      this.large = head.large;
      this.spread = spread;
      this.columns = head.large.bins.length - 1;
      this.laterThreads = [];
      this.rows = /* @__PURE__ */ new Map();
    }
    // Reads the values of metrics by bin and, for some call paths, by location. Metrics without such values are skipped.
    async load(metrics) {
      for (const metric of new Set([...metrics].flatMap((each) => [each, ...this.parts[each]]))) {
        if (this.values.has(metric) || !this.large.metrics.includes(this.metrics[metric].name)) continue;
        const { name } = this.metrics[metric];
        this.values.set(metric, await this.read(name));
        if (this.large.paths.length) this.rows.set(metric, await this.read(`${name} rows`));
      }
    }
    // Returns the distribution of a metric over locations at each node of the call tree; null for other trees, and for an
    // open metric. `parts`: the child metrics that an open metric excludes.
    rangesOf(tree, metric, parts) {
      if (parts.length || tree !== this.calls) return null;
      const of = (part) => {
        const measure = (name) => {
          const place = this.large.measures.indexOf(name);
          const from = ((2 * metric + part) * this.large.measures.length + place) * this.paths;
          return this.spread.subarray(from, from + this.paths);
        };
        return {
          least: measure("least"),
          mean: measure("mean"),
          most: measure("most"),
          known: measure("known"),
          deviation: measure("deviation"),
          leastWho: measure("who least"),
          mostWho: measure("who most")
        };
      };
      return { own: of(OWN), closed: of(CLOSED) };
    }
    // Returns the values of the selected metrics at each node of a system tree, whose nodes are bins or locations; null
    // if the page does not contain them.
    ofSystem(browser) {
      const { tree } = browser.panes.system;
      if (!browser.located) return null;
      if (tree.home.length === this.columns) return super.ofSystem(browser);
      return this.#hasRows(browser) ? browser.spread((metric) => this.#ofRows(metric, browser.panes.program), tree) : null;
    }
    ofLocations(browser) {
      return this.#hasRows(browser) ? browser.selected((metric) => this.#ofRows(metric, browser.panes.program)) : null;
    }
    // Returns whether the page has the values of the selected call paths by location.
    #hasRows(browser) {
      const { tree, selected } = browser.panes.program;
      return browser.located && tree === this.calls && [...selected].every((node) => this.large.paths.includes(node));
    }
    #ofRows(metric, pane) {
      const values = this.rows.get(metric);
      const locations = values.length / (2 * this.large.paths.length);
      const tally = Tally.nothing("sum", locations);
      for (const node of pane.selected) {
        const from = (2 * this.large.paths.indexOf(node) + (pane.isOpen(node) ? OWN : CLOSED)) * locations;
        for (let location2 = 0; location2 < locations; location2++) {
          const value = values[from + location2];
          if (value !== value) tally.gaps[location2]++;
          else {
            tally.known[location2]++;
            tally.amounts[location2] += value;
          }
        }
      }
      return tally;
    }
  };

  // src/model/tree.js
  var Tree = class {
    constructor({ labels, parents, home, identities }) {
      this.labels = labels;
      this.parents = Int32Array.from(parents);
      this.home = Int32Array.from(home);
      this.identities = identities;
      this.length = labels.length;
      this.depths = new Int32Array(this.length);
      for (let node = 0; node < this.length; node++) {
        const parent = this.parents[node];
        this.depths[node] = parent < 0 ? 0 : this.depths[parent] + 1;
      }
      this.link();
    }
    // Lists the children of all nodes. The children of a node are a range in a common list, because many small lists are
    // too slow with 100,000 ranks.
    link() {
      this.first = new Int32Array(this.length + 2);
      for (let node = 0; node < this.length; node++) this.first[this.parents[node] + 2]++;
      for (let place = 1; place < this.first.length; place++) this.first[place] += this.first[place - 1];
      this.below = new Int32Array(this.length);
      this.positions = new Int32Array(this.length);
      const next = this.first.slice();
      for (let node = 0; node < this.length; node++) {
        const parent = this.parents[node];
        const at = next[parent + 1]++;
        this.below[at] = node;
        this.positions[node] = at - this.first[parent + 1];
      }
    }
    // Returns the children of a node, or the roots for -1.
    children(node) {
      return this.below.subarray(this.first[node + 1], this.first[node + 2]);
    }
    isLeaf(node) {
      return this.first[node + 1] === this.first[node + 2];
    }
    ancestors(node) {
      const found = [];
      for (let above = this.parents[node]; above >= 0; above = this.parents[above]) found.push(above);
      return found;
    }
    root(node) {
      return this.ancestors(node).at(-1) ?? node;
    }
    // Returns nodes and their descendants, parents first. `into`: nodes whose children are included; null for all.
    walk(starts, into = null) {
      const found = [];
      const pending = Array.from(starts).reverse();
      while (pending.length) {
        const node = pending.pop();
        found.push(node);
        if (into !== null && !into.has(node)) continue;
        const children = this.children(node);
        for (let place = children.length - 1; place >= 0; place--) pending.push(children[place]);
      }
      return found;
    }
    // Returns, in order, the rows or columns of a metric that belong to some nodes, but not those of their descendants.
    cells(nodes) {
      const held = new Uint8Array(this.length);
      for (const node of nodes) held[node] = 1;
      const found = [];
      for (let cell2 = 0; cell2 < this.home.length; cell2++) if (held[this.home[cell2]]) found.push(cell2);
      return found;
    }
    find(identity) {
      this.places ??= new Map(this.identities.map((each, node) => [each, node]));
      return this.places.get(identity);
    }
  };

  // src/model/experiment.js
  var Experiment = class _Experiment {
    // `read` returns a promise of the numbers stored under a key.
    constructor(head, sums, spread, read) {
      this.head = head;
      const { metrics, calls, flat, systems } = head.trees;
      this.trees = {
        metrics: new Tree(metrics),
        calls: new Tree(calls),
        flat: new Tree(flat),
        systems: Object.fromEntries(Object.entries(systems).map(([name, tree]) => [name, new Tree(tree)]))
      };
      const ofMetric = (metric) => read(`${head.key} ${metric}`);
      this.sums = head.large ? new LargeSums(head, sums, spread, this.trees.calls, ofMetric) : new Sums(head, sums, ofMetric);
    }
    static async open(head, read) {
      const spread = head.large ? await read(`${head.key} spread`) : null;
      return new _Experiment(head, await read(`${head.key} sums`), spread, read);
    }
    // Returns the initial view, in which a time metric and the last node of the hottest path are selected.
    start() {
      const { metrics, program, system } = this.head.start;
      return new Browser(this.sums, {
        metrics: new Pane(this.trees.metrics, metrics),
        program: new Pane(this.trees.calls, program),
        system: this.head.large ? new Pane(this.trees.systems.bins, { open: [0] }) : new Pane(this.trees.systems.machine, system)
      });
    }
    // Returns the name of the initial grouping of the system.
    get grouping() {
      return this.head.large ? "bins" : "machine";
    }
    // Returns the noun for locations: rank, or thread if a process has several threads.
    get kind() {
      if (this.head.large) return this.head.large.noun;
      return this.head.locations.length > new Set(this.head.locations.map(([process2]) => process2)).size ? "thread" : "rank";
    }
    // Returns the name of a location or, if the experiment is large, of a bin.
    nameOf(location2) {
      return this.head.large ? this.trees.systems.bins.labels[location2 + 1] : this.nameOfLocation(location2);
    }
    nameOfLocation(location2) {
      const [process2, thread] = this.head.locations[location2];
      return this.kind === "rank" ? `rank ${process2}` : `thread ${process2}.${thread}`;
    }
  };

  // src/model/numbers.js
  var BYTES = { f4: 4, f8: 8 };
  async function unpacked({ kind, count: count2 }, text) {
    const planes = new Uint8Array(await inflated(text));
    const width = BYTES[kind] / 4;
    const words = new Uint32Array(count2 * width);
    for (let word = 0; word < width; word++) {
      const [one, two, three, four] = [0, 1, 2, 3].map((byte) => planes.subarray((4 * word + byte) * count2));
      for (let place = 0, at = word; place < count2; place++, at += width) {
        words[at] = one[place] | two[place] << 8 | three[place] << 16 | four[place] << 24;
      }
    }
    return kind === "f4" ? new Float32Array(words.buffer) : new Float64Array(words.buffer);
  }
  async function unpackedText(text) {
    return new TextDecoder().decode(await inflated(text));
  }
  async function inflated(text) {
    const stream = new Blob([decoded(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }
  function decoded(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters2 = atob(text);
    const bytes = new Uint8Array(letters2.length);
    for (let place = 0; place < letters2.length; place++) bytes[place] = letters2.charCodeAt(place);
    return bytes;
  }

  // src/main.js
  var textOf = (id) => document.getElementById(id).textContent;
  async function main() {
    if (!document.getElementById("head")) return addAllCopies(document);
    const head = JSON.parse(await unpackedText(textOf("head")));
    const read = (key) => {
      const { id, kind, count: count2 } = head.numbers[key];
      return unpacked({ kind, count: count2 }, textOf(id));
    };
    const page = { ...head, experiments: {}, hasSources: Object.values(head.sources).some(({ lines }) => lines) };
    for (const each of head.experiments) {
      const experiment = await Experiment.open(each, read);
      experiment.signed = experiment.sums.signed;
      for (const name of ["before", "most", "messages"]) if (head.numbers[`${each.key} ${name}`]) experiment[name] = await read(`${each.key} ${name}`);
      page.experiments[each.key] = experiment;
    }
    page.times = head.times.map((each) => new TimeLines(each, read));
    page.other = head.other && {
      name: head.other.name,
      compared: head.other.compared,
      totals: new Map(head.other.metrics.map((metric) => [metric.name, { ...metric, total: new Tally(metric.aggregation, ...metric.total.map((number) => Float64Array.of(number ?? NaN))) }]))
    };
    const first = opening(page, location.hash);
    await load(page, first.state);
    render(createElement(App, { page, first }), document.getElementById("app"));
    for (const picture of document.querySelectorAll(".findings .ranks")) addCopies(picture, "bars");
    const idle = () => new Promise((then) => (globalThis.requestIdleCallback ?? setTimeout)(then));
    for (const { sums } of Object.values(page.experiments)) await sums.loadAll(idle);
  }
  main().catch((error) => {
    const said = document.createElement("p");
    said.className = "remark warning";
    said.textContent = `The trees cannot be shown: ${error}. The verdict above is complete.`;
    document.getElementById("app")?.replaceChildren(said);
  });
})();
