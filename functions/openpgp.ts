import { parseOpenPgpRequest } from '../events/open-pgp.ts'
import { answerOpenPgp } from '../lib/compose/aws/answer-open-pgp.ts'
import { openPgp } from '../lib/compose/open-pgp.ts'

/** Verifies OpenPGP signatures and decrypts data keys, for functions that rarely do. It has no hub and no permissions. */
export const handler = (event: unknown) => answerOpenPgp(openPgp, parseOpenPgpRequest(event))
