import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { encodeJson } from './encode-json.ts'

/** Masks the values of a Secret in a rejection, which may quote them (KS-291); other kinds are returned unchanged. */
export const maskSecret = (object: KubernetesObject, text: string): string =>
  isSecret(object) ? maskValues(secretValues([object]), text) : text

/** Masks all occurrences of these values, the longest first. */
export const maskValues = (values: readonly string[], text: string): string => {
  let masked = text
  for (const value of values) masked = masked.replaceAll(occurrences(value), '***')
  return masked
}

/** Shorter values are part of many words: they are only masked as separate words. */
const minLength = 6

const occurrences = (value: string): string | RegExp => {
  if (value.length >= minLength) return value
  const escaped = value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))${escaped}(?![A-Za-z0-9])`, 'g')
}

export const isSecret = ({ apiVersion, kind }: KubernetesObject): boolean => apiVersion === 'v1' && kind === 'Secret'

/**
 * The values of the Secrets among the objects, and further ones, in the encodings in which texts contain them: the
 * longest first, so that a value that contains another is masked whole.
 */
export const secretValues = (
  objects: readonly KubernetesObject[],
  others: readonly string[] = [],
): readonly string[] => {
  const values = new Set<string>()
  const add = (form: string) => values.add(form).add(JSON.stringify(form).slice(1, -1))
  for (const value of others) add(value)
  for (const object of objects.filter(isSecret)) {
    for (const field of ['data', 'stringData']) {
      const data = object[field]
      if (typeof data !== 'object' || data === null) continue
      for (const value of Object.values(data)) {
        const plain = typeof value === 'string' ? value : encodeJson(value)
        add(plain)
        if (field === 'data') add(Buffer.from(plain, 'base64').toString())
      }
    }
  }
  values.delete('')
  return [...values].sort((a, b) => b.length - a.length)
}
