import type { YamlAnswer } from '../bed/yaml-oracle.ts'
import { answerTo } from '../unit/yaml/answer-to.ts'

/** What the originals' answer to a text and ours differ in: undefined when in nothing that ours is to tell. */
export const differenceFromOriginal = (text: string, original: YamlAnswer): string | undefined => {
  const [theirs, own] = [settled(text, original), settled(text, answerTo(text))]
  const fields = Object.keys({ ...theirs, ...own }) as (keyof YamlAnswer)[]
  const other = fields.filter(field => JSON.stringify(theirs[field]) !== JSON.stringify(own[field]))
  if (other.length === 0) return undefined
  const shown = other.map(
    field => `\n  ${field}: ${JSON.stringify(theirs[field])}\n  ours: ${JSON.stringify(own[field])}`,
  )
  return `${JSON.stringify(text)}${shown.join('')}`
}

/**
 * Of what is wrong with data in several ways the libraries name any, as their maps have no order, and of keys that are lists or mappings
 * they show the inside. Kubernetes' library loses sight of brackets with nothing inside that are a key.
 */
const settled = (text: string, answer: YamlAnswer): YamlAnswer => {
  const { kyamlFault, kubernetesFault, kubernetes, written, ...rest } = answer
  return {
    ...rest,
    ...(kyamlFault !== undefined && { kyamlFault: 'refused' }),
    ...(!/[[{]\s*[\]}]\s*:/.test(text) && {
      ...(kubernetesFault !== undefined && { kubernetesFault: 'refused' }),
      ...(kubernetes !== undefined && { kubernetes, written }),
    }),
  }
}
