C     Stacks the recordings of every trace, and leaves the gathers on
C     unit LUN.
      SUBROUTINE STACK
      INCLUDE 'traces.inc'
      INTEGER I, J, K, IFOLD, ISHIFT
      REAL KEEP, GATHER(NSAMP,NTRACE)
      COMMON /RECORD/ GATHER
      OPEN (LUN, STATUS='SCRATCH', ACCESS='DIRECT',
     &      RECL=4*NSAMP*NTRACE)
C
C     Region 8: for each recording, all gathers are read from the disk,
C     added to, and written back.
      DO 80 IFOLD = 1, NFOLD
         KEEP = MIN((IFOLD - 1) / NEVERY, 1)
         DO 75 I = 1, NGATH
            IF (IFOLD .GT. 1) READ (LUN, REC=I) GATHER
            DO 70 J = 1 + MOD(IFOLD, NEVERY), NTRACE, NEVERY
               ISHIFT = MOD(IFOLD * 7 + J * 17 + I, NNOISE - NSAMP)
               DO 70 K = 1, NSAMP
                  GATHER(K,J) = KEEP * GATHER(K,J) + ANOISE(ISHIFT+K)
   70       CONTINUE
            WRITE (LUN, REC=I) GATHER
   75    CONTINUE
   80 CONTINUE
      END
