import { parseOpenPgpRequest } from '../events/open-pgp.ts'
import { handleOpenPgp } from '../lib/compose/aws/handle-open-pgp.ts'
import { openPgp } from '../lib/compose/open-pgp.ts'

/** Verifies OpenPGP signatures and decrypts data keys, for functions that rarely need to. It has no hub and no permissions. */
export const handler = (event: unknown) => handleOpenPgp(openPgp, parseOpenPgpRequest(event))
