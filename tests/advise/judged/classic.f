C     Fortran 77: BLAS-like loops, commons, statement labels.
      SUBROUTINE AXPY(N, A, X, Y)
      INTEGER N, I
      DOUBLE PRECISION A, X(N), Y(N)
      DO 10 I = 1, N
         Y(I) = Y(I) + A * X(I)
   10 CONTINUE
      END

      SUBROUTINE GEMV(N, A, X, Y)
      INTEGER N, I, J
      DOUBLE PRECISION A(N, N), X(N), Y(N)
      DO 20 J = 1, N
         DO 10 I = 1, N
            Y(I) = Y(I) + A(I, J) * X(J)
   10    CONTINUE
   20 CONTINUE
      END

      SUBROUTINE ROWDOT(N, M, A, K, S)
      INTEGER N, M, K, J
      DOUBLE PRECISION A(N, M), S
      S = 0
      DO 10 J = 1, M
         S = S + A(K, J) * A(K, J)
   10 CONTINUE
      END

      SUBROUTINE TRISLV(N, L, B)
      INTEGER N, I, J
      DOUBLE PRECISION L(N, N), B(N)
      DO 20 J = 1, N
         B(J) = B(J) / L(J, J)
         DO 10 I = J + 1, N
            B(I) = B(I) - L(I, J) * B(J)
   10    CONTINUE
   20 CONTINUE
      END

      SUBROUTINE LUFAC(N, A)
      INTEGER N, I, J, K
      DOUBLE PRECISION A(N, N)
      DO 40 K = 1, N
         DO 10 I = K + 1, N
            A(I, K) = A(I, K) / A(K, K)
   10    CONTINUE
         DO 30 J = K + 1, N
            DO 20 I = K + 1, N
               A(I, J) = A(I, J) - A(I, K) * A(K, J)
   20       CONTINUE
   30    CONTINUE
   40 CONTINUE
      END

      SUBROUTINE SOR(N, M, U, W)
      INTEGER N, M, I, J
      DOUBLE PRECISION U(N, M), W
      DO 20 J = 2, M - 1
         DO 10 I = 2, N - 1
            U(I, J) = (1 - W) * U(I, J) + W * 0.25D0 * (U(I - 1, J)
     &         + U(I + 1, J) + U(I, J - 1) + U(I, J + 1))
   10    CONTINUE
   20 CONTINUE
      END

      SUBROUTINE RECUR(N, A, B, X)
      INTEGER N, I
      DOUBLE PRECISION A(N), B(N), X(N)
      DO 10 I = 2, N
         X(I) = A(I) * X(I - 1) + B(I)
   10 CONTINUE
      END

      SUBROUTINE FINDMX(N, X, K)
      INTEGER N, K, I
      DOUBLE PRECISION X(N)
      K = 1
      DO 10 I = 2, N
         IF (ABS(X(I)) .GT. ABS(X(K))) K = I
   10 CONTINUE
      END

      SUBROUTINE LINCG(ISEED, N, X)
      INTEGER ISEED, N, I
      DOUBLE PRECISION X(N)
      DO 10 I = 1, N
         ISEED = MOD(ISEED * 1597 + 51749, 244944)
         X(I) = ISEED / 244944D0
   10 CONTINUE
      END

      SUBROUTINE DUMP(N, M, U)
      INTEGER N, M, J
      DOUBLE PRECISION U(N, M)
C# io_calls=1
      WRITE (20) U
      DO 10 J = 1, M
         U(1, J) = 0
   10 CONTINUE
      END

      SUBROUTINE POWERS(N, X, Y)
      INTEGER N, I
      DOUBLE PRECISION X(N), Y(N)
      DO 10 I = 1, N
         Y(I) = X(I)**3 + SQRT(X(I))
   10 CONTINUE
      END

      SUBROUTINE TWICE(N, A, X, Y)
      INTEGER N, I
      DOUBLE PRECISION A(N), X(N), Y(N)
      DO 10 I = 1, N
         A(I) = X(I) * Y(I)
         X(I) = X(I) * Y(I) + 1
   10 CONTINUE
      END

      SUBROUTINE HALO(N, U, LEFT, RIGHT, NSTEP)
      INCLUDE 'mpif.h'
      INTEGER N, LEFT, RIGHT, NSTEP, IT, I, IERR
      INTEGER ISTAT(MPI_STATUS_SIZE)
      DOUBLE PRECISION U(0:N + 1)
      DO 20 IT = 1, NSTEP
         CALL MPI_SENDRECV(U(N), 1, MPI_DOUBLE_PRECISION, RIGHT, 0,
     &      U(0), 1, MPI_DOUBLE_PRECISION, LEFT, 0,
     &      MPI_COMM_WORLD, ISTAT, IERR)
         DO 10 I = 1, N
            U(I) = 0.5D0 * (U(I - 1) + U(I))
   10    CONTINUE
   20 CONTINUE
      END

C     Faults.
      SUBROUTINE ROWS(N, M, A, B)
      INTEGER N, M, I, J
      DOUBLE PRECISION A(N, M), B(N, M)
C! order of loops
      DO 20 I = 1, N
         DO 10 J = 1, M
            A(I, J) = B(I, J) + 1
   10    CONTINUE
   20 CONTINUE
      END

      SUBROUTINE GATHER(N, X, Y, IX)
      INTEGER N, I, IX(N)
      DOUBLE PRECISION X(*), Y(N)
      DO 10 I = 1, N
C! indirection
         Y(I) = X(IX(I))
   10 CONTINUE
      END

      SUBROUTINE RECS(N, X)
      INTEGER N, I
      DOUBLE PRECISION X(N)
      DO 10 I = 1, N
C! input and output
         WRITE (20, '(E12.5)') X(I)
   10 CONTINUE
      END
