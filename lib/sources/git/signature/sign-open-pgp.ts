/**
 * A detached OpenPGP signature, armored, with the only private key of a text. Fails if there is none, or if it has another passphrase; the
 * errors quote nothing of the key. Loads the library on first use, as it is large.
 */
export const signOpenPgp = async (
  payload: Uint8Array,
  armoredKey: string,
  passphrase: string | undefined,
  now: Date,
): Promise<string> => {
  const openpgp = await import('openpgp')
  const keys = await openpgp.readPrivateKeys({ armoredKeys: armoredKey }).catch(() => [])
  if (keys.length === 0) throw new Error('could not read signing key: no armored OpenPGP private key')
  if (keys.length > 1) throw new Error('multiple entities read, could not determine which signing key to use')
  const [key] = keys
  const signingKeys = key!.isDecrypted() ? key! : await decrypted(openpgp, key!, passphrase)
  const message = await openpgp.createMessage({ binary: payload })
  return openpgp.sign({ message, signingKeys, detached: true, format: 'armored', date: now })
}

type Library = typeof import('openpgp')

const decrypted = async (
  openpgp: Library,
  privateKey: import('openpgp').PrivateKey,
  passphrase: string | undefined,
) => {
  if (passphrase === undefined)
    throw new Error("can not use passphrase protected signing key without 'passphrase' field")
  return openpgp.decryptKey({ privateKey, passphrase }).catch(() => {
    throw new Error('could not decrypt private key of the signing key: incorrect passphrase')
  })
}
