import type { Random } from '../../platform/ports/random.ts'

/** No vowels and no characters that are easily confused, as in Kubernetes. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxLength = 63

/** `metadata.generateName` plus five random characters, 63 at most. */
export const generatedName = (base: string, random: Random): string => {
  const suffix = Array.from(random.bytes(suffixLength), byte => alphabet[byte % alphabet.length])
  return base.slice(0, maxLength - suffixLength) + suffix.join('')
}
