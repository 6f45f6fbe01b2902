C     The master hands out one shot at a time, to whoever is idle. Shots
C     of many passes go first, so that the workers end together.
      SUBROUTINE LEAD
      INCLUDE 'mpif.h'
      INCLUDE 'comm.inc'
      INCLUDE 'survey.inc'
      INTEGER MAXRNK
      PARAMETER (MAXRNK = MAXSHT)
      INTEGER N, I, IW, ISHOT, NLEFT, LEAST, NAHEAD
      INTEGER NGIVEN(MAXRNK), IBATCH(2), ISTAT(MPI_STATUS_SIZE), IERR
      LOGICAL IDLE(MAXRNK), WAITS(MAXSHT)
C
C     Region 13: whenever a shot's times have come, and once before, all
C     that are idle get a shot or, with none left, an empty batch.
      DO 130 N = 0, NSHOT
         IF (N .EQ. 0) THEN
            NLEFT = NSHOT
            NAHEAD = 0
            DO 100 I = 1, NSHOT
               WAITS(I) = .TRUE.
               NAHEAD = NAHEAD + MPASS(KIND(I))
  100       CONTINUE
C           How many passes a worker may be ahead of others, which keeps
C           shares even where other programs slow one worker down.
            NAHEAD = NAHEAD / (50 * NWORK)
            DO 105 IW = 1, NWORK
               IDLE(IW) = .TRUE.
               NGIVEN(IW) = 0
  105       CONTINUE
         ELSE
            CALL MPI_PROBE(MPI_ANY_SOURCE, MPI_ANY_TAG,
     &                     MPI_COMM_WORLD, ISTAT, IERR)
            IW = ISTAT(MPI_SOURCE)
            ISHOT = ISTAT(MPI_TAG)
            CALL MPI_RECV(TIMES(1,ISHOT), NREC, MPI_REAL, IW, ISHOT,
     &                    MPI_COMM_WORLD, ISTAT, IERR)
            IDLE(IW) = .TRUE.
         END IF
         DO 125 IW = 1, NWORK
            IF (.NOT. IDLE(IW)) GOTO 125
            IBATCH(1) = 1
            IBATCH(2) = 0
            IF (NLEFT .EQ. 0) GOTO 120
            LEAST = NGIVEN(IW)
            DO 110 I = 1, NWORK
               LEAST = MIN(LEAST, NGIVEN(I))
  110       CONTINUE
            IF (NGIVEN(IW) .GT. LEAST + NAHEAD) GOTO 125
            ISHOT = 0
            DO 115 I = 1, NSHOT
               IF (.NOT. WAITS(I)) GOTO 115
               IF (ISHOT .EQ. 0) ISHOT = I
               IF (MPASS(KIND(I)) .GT. MPASS(KIND(ISHOT))) ISHOT = I
  115       CONTINUE
            WAITS(ISHOT) = .FALSE.
            NLEFT = NLEFT - 1
            NGIVEN(IW) = NGIVEN(IW) + MPASS(KIND(ISHOT))
            IBATCH(1) = ISHOT
            IBATCH(2) = ISHOT
  120       CALL MPI_SEND(IBATCH, 2, MPI_INTEGER, IW, LBATCH,
     &                    MPI_COMM_WORLD, IERR)
            IDLE(IW) = .FALSE.
  125    CONTINUE
  130 CONTINUE
      END
