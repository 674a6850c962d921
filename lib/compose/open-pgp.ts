import type { OpenPgp } from '../ports/open-pgp.ts'
import { openPgpService, readOpenPgpKeys } from '../sops/keys/open-pgp-keys.ts'
import { verifyOpenPgp } from '../source/git/signature/open-pgp-signature.ts'

/** OpenPGP in this process. */
export const openPgp: OpenPgp = {
  verify: verifyOpenPgp,
  checkPrivateKeys: async armored => {
    await readOpenPgpKeys(armored)
  },
  decrypt: async (encrypted, privateKeys) => (await openPgpService(privateKeys))({ encrypted }),
}
