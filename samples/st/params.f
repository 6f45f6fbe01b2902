C     The command line is: st [shots] [fold]. If it or the number of
C     ranks is wrong, the master says so.
      SUBROUTINE PARAMS(GOOD)
      LOGICAL GOOD
      INCLUDE 'comm.inc'
      INCLUDE 'survey.inc'
      INCLUDE 'traces.inc'
      CHARACTER*12 ARG
      NSHOT = 42
      NFOLD = 12000
      IF (IARGC() .GT. 2) GOTO 900
      IF (IARGC() .GE. 1) THEN
         CALL GETARG(1, ARG)
         READ (ARG, 10, ERR=900) NSHOT
      END IF
      IF (IARGC() .GE. 2) THEN
         CALL GETARG(2, ARG)
         READ (ARG, 10, ERR=900) NFOLD
      END IF
   10 FORMAT (BN, I12)
      IF (NSHOT .LT. 1 .OR. NSHOT .GT. MAXSHT) GOTO 900
      IF (NFOLD .LT. NEVERY .OR. NFOLD .GT. 100000) GOTO 900
      IF (NWORK .LT. 1) GOTO 910
      IF (NWORK .GT. NSHOT) GOTO 920
      GOOD = .TRUE.
      RETURN
  900 IF (MYRANK .EQ. MASTER) WRITE (0, *)
     &   'st: usage: st [shots, up to 1000] [fold, up to 100000]'
      GOTO 990
  910 IF (MYRANK .EQ. MASTER) WRITE (0, *)
     &   'st: needs a master and at least one worker: mpirun -n 2'
      GOTO 990
  920 IF (MYRANK .EQ. MASTER) WRITE (0, *)
     &   'st: more workers than shots: fewer ranks or more shots'
  990 GOOD = .FALSE.
      END
C
      BLOCK DATA TERRAN
      INCLUDE 'survey.inc'
      DATA MPASS /10, 10, 3, 7, 18, 7, 18/
      END
