import { openPgpService, readOpenPgpKeys } from '../engines/sops/keys/open-pgp-keys.ts'
import type { OpenPgp } from '../platform/ports/open-pgp.ts'
import { verifyOpenPgp } from '../sources/git/signature/open-pgp-signature.ts'

/** OpenPGP in this process. */
export const openPgp: OpenPgp = {
  verify: verifyOpenPgp,
  checkPrivateKeys: async armored => {
    await readOpenPgpKeys(armored)
  },
  decrypt: async (encrypted, privateKeys) => (await openPgpService(privateKeys))({ encrypted }),
}
