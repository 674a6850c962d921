import { openPgpService, readOpenPgpKeys } from '../engines/sops/keys/open-pgp-keys.ts'
import type { OpenPgp } from '../platform/ports/open-pgp.ts'
import { verifyOpenPgp } from '../sources/git/signature/open-pgp-signature.ts'
import { signOpenPgp } from '../sources/git/signature/sign-open-pgp.ts'

/** OpenPGP in this process. */
export const openPgp: OpenPgp = {
  verify: verifyOpenPgp,
  sign: (payload, privateKey, passphrase) => signOpenPgp(payload, privateKey, passphrase, new Date()),
  checkPrivateKeys: async armored => {
    await readOpenPgpKeys(armored)
  },
  decrypt: async (encrypted, privateKeys) => (await openPgpService(privateKeys))({ encrypted }),
}
