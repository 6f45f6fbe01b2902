C     The master hands out one batch to each worker: a block of the
C     line, all blocks of the same number of shots.
      SUBROUTINE LEAD
      INCLUDE 'mpif.h'
      INCLUDE 'comm.inc'
      INCLUDE 'survey.inc'
      INTEGER N, IW, ISHOT, IBATCH(2), ISTAT(MPI_STATUS_SIZE), IERR
C
C     Region 13: a batch for each worker, then the times of each shot.
C     An empty batch answers the last shot of a block.
      DO 130 N = 1 - NWORK, NSHOT
         IF (N .LE. 0) THEN
            IW = N + NWORK
            IBATCH(1) = 1 + NSHOT * (IW - 1) / NWORK
            IBATCH(2) = NSHOT * IW / NWORK
         ELSE
            CALL MPI_PROBE(MPI_ANY_SOURCE, MPI_ANY_TAG,
     &                     MPI_COMM_WORLD, ISTAT, IERR)
            IW = ISTAT(MPI_SOURCE)
            ISHOT = ISTAT(MPI_TAG)
            CALL MPI_RECV(TIMES(1,ISHOT), NREC, MPI_REAL, IW, ISHOT,
     &                    MPI_COMM_WORLD, ISTAT, IERR)
            IF (ISHOT .LT. NSHOT * IW / NWORK) GOTO 130
            IBATCH(1) = 1
            IBATCH(2) = 0
         END IF
         CALL MPI_SEND(IBATCH, 2, MPI_INTEGER, IW, LBATCH,
     &                 MPI_COMM_WORLD, IERR)
  130 CONTINUE
      END
