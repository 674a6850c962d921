/** What a signature is of, read from what was signed: a signature proves nothing for another artifact. */

/** The payload of an attached signature (simple signing). */
export const isSimpleSigningOf = (payload: Uint8Array, digest: string): boolean => {
  const critical = objectIn(objectOf(payload), 'critical')
  return (
    critical.type === 'cosign container image signature' &&
    objectIn(critical, 'image')['docker-manifest-digest'] === digest
  )
}

/** An in-toto statement, in the envelope of a bundle. */
export const isStatementOf = (payload: Uint8Array, digest: string): boolean => {
  const { _type, subject } = objectOf(payload)
  if (typeof _type !== 'string' || !_type.startsWith('https://in-toto.io/Statement/')) return false
  const [algorithm = '', hex] = digest.split(':')
  return (
    Array.isArray(subject) &&
    subject.some(one => {
      const digests = isObject(one) ? objectIn(one, 'digest') : {}
      return Object.hasOwn(digests, algorithm) && digests[algorithm] === hex
    })
  )
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const objectOf = (bytes: Uint8Array): Json => {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const objectIn = (object: Json, key: string): Json => {
  const value = object[key]
  return isObject(value) ? value : {}
}
