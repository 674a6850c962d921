import { quote } from '../../foundations/go/quote.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { encodeJson } from './encode-json.ts'

/** Masks all occurrences of these values, the longest first. */
export const maskValues = (values: readonly string[], text: string): string => {
  let masked = text
  for (const value of values) masked = masked.replaceAll(occurrences(value), '***')
  return masked
}

/**
 * Masks values in a message for all who may read its object. Two kinds of values stay, as the message would lose words that are no secret: values that
 * `isPublic`, such as the name of an object, and values of a few characters, unless they are quoted as a whole: `Invalid value: "abc"`.
 */
export const maskMessage = (values: readonly string[], text: string, isPublic: (value: string) => boolean): string => {
  let masked = text
  for (const value of values) {
    if (!masked.includes(value) || isPublic(value)) continue
    masked = masked.replaceAll(value.length >= minLength ? value : inQuotes(value), '***')
  }
  return masked
}

/** Secret values that are collected when a text is first masked. */
export interface Masking {
  secrets(): readonly string[]
  masked(text: string): string
}

/** `collect` is called at most once, and only if a text is masked. */
export const masking = (collect: () => readonly string[]): Masking => {
  let values: readonly string[] | undefined
  const secrets = () => {
    values ??= collect()
    return values
  }
  return { secrets, masked: text => maskValues(secrets(), text) }
}

/** Shorter values are part of many words: they are only masked as separate words. */
const minLength = 6

const occurrences = (value: string): string | RegExp => {
  if (value.length >= minLength) return value
  return new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))${pattern(value)}(?![A-Za-z0-9])`, 'g')
}

const inQuotes = (value: string): RegExp => new RegExp(`(?<=["'\`])${pattern(value)}(?=\\\\*["'\`])`, 'g')

const pattern = (value: string): string => value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

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
  const add = (value: string) => {
    for (const form of formsOf(value)) values.add(form)
  }
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
  return longestFirst(values)
}

const longestFirst = (values: Iterable<string>): readonly string[] => [...values].sort((a, b) => b.length - a.length)

/** The values of both, collected when they are first needed. */
export const unionOfSecrets = (
  a: Masking['secrets'] | undefined,
  b: Masking['secrets'] | undefined,
): Masking['secrets'] | undefined =>
  a && b ? masking(() => longestFirst(new Set([...a(), ...b()]))).secrets : (a ?? b)

/** As it is, in base64, and escaped as in JSON and in Go's quoted strings. */
const formsOf = (value: string): readonly string[] => {
  const json = JSON.stringify(value).slice(1, -1)
  const ofGo = json.replace(/[<>&]/g, character => `\\u00${character.charCodeAt(0).toString(16)}`)
  return [value, json, ofGo, quote(value).slice(1, -1), Buffer.from(value).toString('base64')]
}

/** All texts and numbers in JSON or in Helm's values. */
export const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)]
  if (value instanceof Map) return [...value.values()].flatMap(textsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
