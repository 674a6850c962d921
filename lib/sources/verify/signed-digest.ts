/** Reads the digest from the signed content: a signature is only valid for this artifact. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'

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

const objectOf = (bytes: Uint8Array): JsonObject => {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const objectIn = (object: JsonObject, key: string): JsonObject => {
  const value = object[key]
  return isObject(value) ? value : {}
}
