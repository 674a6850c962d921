import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { encodeJson } from './encode-json.ts'

/** Masks the values of a Secret in a refusal, which quotes what it refuses (KS-291); other kinds are left as they are. */
export const maskSecret = (object: KubernetesObject, text: string): string => {
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1') return text
  let masked = text
  for (const value of secretValues(object)) masked = masked.replaceAll(occurrences(value), '***')
  return masked
}

/** A value this short is part of many words: it is masked only where it stands alone. */
const minLength = 6

const occurrences = (value: string): string | RegExp => {
  if (value.length >= minLength) return value
  const escaped = value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))${escaped}(?![A-Za-z0-9])`, 'g')
}

/** Longest first, so that a value that contains another is masked whole. */
const secretValues = (object: KubernetesObject): readonly string[] => {
  const values = new Set<string>()
  for (const field of ['data', 'stringData']) {
    const data = object[field]
    if (typeof data !== 'object' || data === null) continue
    for (const value of Object.values(data)) {
      const plain = typeof value === 'string' ? value : encodeJson(value)
      const decoded = field === 'data' ? Buffer.from(plain, 'base64').toString() : plain
      for (const form of [plain, decoded]) values.add(form).add(JSON.stringify(form).slice(1, -1))
    }
  }
  values.delete('')
  return [...values].sort((a, b) => b.length - a.length)
}
