import type { Key } from 'openpgp'

const noMatch = 'unable to verify payload with any of the given key rings: no matching key'

/**
 * Verifies a detached OpenPGP signature with the keys of the given rings, and returns the ID of the key that made it.
 * Fails if none did. Loads the library on first use, as it is large.
 */
export const verifyOpenPgp = async (
  payload: Uint8Array,
  armored: string,
  keyRings: readonly string[],
): Promise<string> => {
  const openpgp = await import('openpgp')
  const rings = await Promise.all(keyRings.map(ring => openpgp.readKeys({ armoredKeys: ring }).catch(() => undefined)))
  const keys: Key[] = rings.flatMap(ring => ring ?? [])
  if (keys.length === 0) throw new Error('unable to read armored key ring')
  try {
    const [message, signature] = [
      await openpgp.createMessage({ binary: payload }),
      await openpgp.readSignature({ armoredSignature: armored }),
    ]
    const { signatures } = await openpgp.verify({ message, signature, verificationKeys: keys })
    for (const { keyID, verified } of signatures) {
      if (!(await verified.catch(() => false))) continue
      const key = keys.find(each => each.getKeys(keyID).length > 0)
      if (key) return key.getKeyID().toHex().toUpperCase()
    }
  } catch (cause) {
    throw new Error(noMatch, { cause })
  }
  throw new Error(noMatch)
}
