-- A module file for Lmod, to be installed as autoanalyzer/VERSION.lua. docs/cluster.md describes the prefix's folders.
local prefix = pathJoin("/sw/autoanalyzer", myModuleVersion())
local cache = pathJoin(prefix, "cache")

whatis("Name: autoanalyzer")
whatis("Version: " .. myModuleVersion())
whatis("Description: finds what is slow in an MPI program: on which ranks, where in the source, and why")
help([[
Also load the MPI library and the compiler of your program. Then build and run it:

    make CC=aa-mpicc
    autoanalyzer run -o out -- mpirun -n 4 ./app

For the other commands, see: man autoanalyzer
]])

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share", "man"))
append_path("MANPATH", "") -- keeps the default search path of man

-- Users can only read this cache; builds that it does not contain go to the user's own cache.
if isDir(cache) then
    prepend_path("AUTOANALYZER_CACHE", cache)
end

local script = pathJoin(prefix, "share", "autoanalyzer." .. myShellName())
local completion = {
    bash = { load = "source " .. script, unload = "complete -r autoanalyzer" },
    zsh = {
        load = '(( ! $+functions[compdef] )) || eval "$(<' .. script .. ')"',
        unload = "(( ! $+functions[compdef] )) || compdef -d autoanalyzer",
    },
    fish = { load = "source " .. script, unload = "complete --command autoanalyzer --erase" },
}
local here = completion[myShellName()]
if here and isFile(script) then
    execute({ cmd = here.load, modeA = { "load" } })
    execute({ cmd = here.unload, modeA = { "unload" } })
end
