C     Traces the wave front of a shot through the model: the eikonal
C     equation, swept in as many passes as its kind of ground takes.
      SUBROUTINE RAMOD3(ISHOT)
      INTEGER ISHOT
      INCLUDE 'survey.inc'
      INCLUDE 'model.inc'
      INTEGER I, K, I1, I2, K1, K2, IDIR, IPASS
      REAL TX, TZ, TNEW, STEP
C
C     Region 11: the passes, of which pass 0 starts from flat ground.
C     The inner loop runs down the model, by steps of NX reals.
      DO 110 IPASS = 0, MPASS(KIND(ISHOT))
         IF (IPASS .GT. 0) GOTO 102
         DO 101 I = 1, NX
            DO 101 K = 1, NZ
               T(I,K) = TFLAT(ABS(I - IXSHOT(ISHOT)),K)
  101    CONTINUE
         GOTO 110
C        Odd passes go forth, even ones back.
  102    IDIR = 1
         IF (MOD(IPASS, 2) .EQ. 0) IDIR = -1
         I1 = 2
         K1 = 2
         IF (IDIR .LT. 0) I1 = NX - 1
         IF (IDIR .LT. 0) K1 = NZ - 1
         I2 = NX + 1 - I1
         K2 = NZ + 1 - K1
         DO 108 I = I1, I2, IDIR
            DO 108 K = K1, K2, IDIR
               TX = MIN(T(I-1,K), T(I+1,K))
               TZ = MIN(T(I,K-1), T(I,K+1))
               STEP = SPACNG * SLOW(I,K)
               TNEW = MIN(TX, TZ) + STEP
               IF (ABS(TX - TZ) .GE. STEP) GOTO 107
               TNEW = SQRT(2.0 * STEP**2 - (TX - TZ)**2)
               TNEW = 0.5 * (TX + TZ + TNEW)
  107          T(I,K) = MIN(T(I,K), TNEW)
  108    CONTINUE
  110 CONTINUE
C
C     Region 12: the times at the receivers, one node below the ground.
      DO 120 I = 1, NREC
         TIMES(I,ISHOT) = T(IXREC(I),2)
  120 CONTINUE
      END
