C     Seismic tomography by the refraction method. Rank 0 is the master
C     and hands out the shots; the other ranks trace them through the
C     model, which is then corrected by what the times differ from those
C     observed. README.md says what is slow here, and why.
      PROGRAM ST
      INCLUDE 'mpif.h'
      INCLUDE 'comm.inc'
      INCLUDE 'survey.inc'
      INCLUDE 'model.inc'
      INCLUDE 'traces.inc'
      INTEGER NITER
      REAL PI
      PARAMETER (NITER = 2, PI = 3.1415927)
      INTEGER I, J, K, ISHOT, ITER, ISEED, IOFF, IBATCH(2), IERR
      INTEGER ISTAT(MPI_STATUS_SIZE)
      REAL ELEV(NX), REFR(NX), GATHER(NSAMP,NTRACE)
      REAL R, DEPTH, CORR
      DOUBLE PRECISION TOTAL
      LOGICAL GOOD
      COMMON /RECORD/ GATHER
C
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, MYRANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NWORK, IERR)
      NWORK = NWORK - 1
      CALL PARAMS(GOOD)
      IF (.NOT. GOOD) GOTO 900
C
C     Region 1: the shots, on a line over seven kinds of ground.
      DO 10 ISHOT = 1, NSHOT
         IXSHOT(ISHOT) = 1 + NX * (ISHOT - 1) / NSHOT
         KIND(ISHOT) = 1 + NKIND * (ISHOT - 1) / NSHOT
   10 CONTINUE
C
C     Region 2: slowness falls with depth, and scatters about its trend.
      ISEED = 1
      DO 20 K = 1, NZ
         DO 20 I = 1, NX
            ISEED = MOD(ISEED * 1366 + 150889, 714025)
            R = REAL(ISEED) / 714025.0
            SLOW(I,K) = (0.9 + 0.2 * R) / (1500.0 + 2500.0 * K / NZ)
   20 CONTINUE
C
C     Region 3: the elevation of the ground.
      DO 30 I = 1, NX
   30 ELEV(I) = 40.0 * SIN(2.0 * PI * I / NX)
C
C     Region 4: the refractor, down to which the ground is weathered.
      DO 40 I = 1, NX
         REFR(I) = 25.0 * (1.0 + 0.3 * COS(6.0 * PI * I / NX))
   40 CONTINUE
C
C     Region 5: the slowness, smoothed along the line.
      DO 50 ITER = 1, 20
         DO 50 K = 1, NZ
            DO 50 I = 2, NX - 1
               R = SLOW(I-1,K) - 2.0 * SLOW(I,K) + SLOW(I+1,K)
               SLOW(I,K) = SLOW(I,K) + 0.25 * R
   50 CONTINUE
C
C     Region 6: the times in flat ground, integrated along the rays.
      DO 60 K = 1, NZ
         DO 60 I = 0, NX - 1
            TFLAT(I,K) = 0.0
            DO 60 ITER = 1, 20
               DEPTH = SPACNG * K * (ITER - 0.5) / 20.0
               R = SQRT((SPACNG * I)**2 + (SPACNG * K)**2) / 20.0
               TFLAT(I,K) = TFLAT(I,K) + R / (1500.0 + 0.98 * DEPTH)
   60 CONTINUE
C
C     Region 7: the noise that every recording has.
      DO 70 I = 1, NNOISE
         ISEED = MOD(ISEED * 1366 + 150889, 714025)
         ANOISE(I) = REAL(ISEED) / 714025.0 - 0.5
   70 CONTINUE
C
C     Region 8 is in STACK.
      CALL STACK
C
C     Region 9: the receivers, and their delays by the first breaks.
      DO 90 I = 1, NREC
         IXREC(I) = 1 + NX * (I - 1) / NREC
         STATIC(I) = (ELEV(IXREC(I)) + REFR(IXREC(I))) / 1500.0
         J = MOD(I - 1, NTRACE) + 1
         IF (J .EQ. 1) READ (LUN, REC=1 + I / NTRACE) GATHER
         DO 80 K = 1, NSAMP
            IF (ABS(GATHER(K,J)) .LT. 0.3 * SQRT(1.0*NFOLD)) GOTO 80
            STATIC(I) = STATIC(I) + 0.0001 * K
            GOTO 90
   80    CONTINUE
   90 CONTINUE
      CLOSE (LUN)
C
C     The iterations of the tomography. The workers trace batch after
C     batch until one is empty; the master is in region 13 meanwhile.
      ITER = 0
  100 ITER = ITER + 1
      IF (MYRANK .EQ. MASTER) THEN
         CALL LEAD
         GOTO 150
      END IF
  110 CALL MPI_RECV(IBATCH, 2, MPI_INTEGER, MASTER, LBATCH,
     &              MPI_COMM_WORLD, ISTAT, IERR)
      IF (IBATCH(1) .GT. IBATCH(2)) GOTO 150
C
C     Region 14: the shots of a batch.
      DO 140 ISHOT = IBATCH(1), IBATCH(2)
         CALL RAMOD3(ISHOT)
         CALL MPI_SEND(TIMES(1,ISHOT), NREC, MPI_REAL, MASTER, ISHOT,
     &                 MPI_COMM_WORLD, IERR)
  140 CONTINUE
      GOTO 110
  150 CALL MPI_BCAST(TIMES, NREC * NSHOT, MPI_REAL, MASTER,
     &               MPI_COMM_WORLD, IERR)
C
C     Region 10: the residuals, and the model corrected below each
C     receiver.
      TOTAL = 0.0D0
      DO 180 I = 1, NREC
         CORR = 0.0
         DO 160 ISHOT = 1, NSHOT
            IOFF = ABS(IXREC(I) - IXSHOT(ISHOT))
            R = 0.97 * TFLAT(IOFF,1) + STATIC(I) - TIMES(I,ISHOT)
            TOTAL = TOTAL + DBLE(R)**2
            CORR = CORR + R / (1.0 + TFLAT(IOFF,1))
  160    CONTINUE
         DO 170 K = 1, NZ
            R = SLOW(IXREC(I),K)
            SLOW(IXREC(I),K) = R * (1.0 + CORR / NSHOT)
  170    CONTINUE
  180 CONTINUE
      IF (MYRANK .EQ. MASTER) WRITE (*, 190) ITER, NSHOT,
     &   SQRT(TOTAL / (NREC * NSHOT))
  190 FORMAT (' st: iteration ', I1, ', ', I4, ' shots, residual ',
     &        F14.9, ' s')
      IF (ITER .LT. NITER) GOTO 100
C
  900 CALL MPI_FINALIZE(IERR)
      IF (.NOT. GOOD) CALL EXIT(2)
      END
