import type { YamlAnswer } from '../bed/yaml-oracle.ts'
import { answerTo } from '../unit/engines/yaml/answer-to.ts'

/** What the originals' answer to a text and ours differ in: undefined when in nothing that ours is to tell. */
export const differenceFromOriginal = (text: string, original: YamlAnswer): string | undefined => {
  const own = answerTo(text)
  const isKubernetes = !losesBrackets.test(text) && !own.kubernetesFault?.startsWith(noName)
  const [theirs, ours] = [settled(original, isKubernetes), settled(own, isKubernetes)]
  const fields = Object.keys({ ...theirs, ...ours }) as (keyof YamlAnswer)[]
  const other = fields.filter(field => JSON.stringify(theirs[field]) !== JSON.stringify(ours[field]))
  if (other.length === 0) return undefined
  const shown = other.map(
    field => `\n  ${field}: ${JSON.stringify(theirs[field])}\n  ours: ${JSON.stringify(ours[field])}`,
  )
  return `${JSON.stringify(text)}${shown.join('')}`
}

/** Kubernetes' library loses sight of brackets with nothing inside that are a key. */
const losesBrackets = /[[{]\s*[\]}]\s*:/

/** It forgets of a key that JSON has no name for when the field where it stands is given again. */
const noName = 'unsupported map key'

/**
 * Of what is wrong with data in several ways the libraries name any, as their maps have no order, and of keys that are lists or mappings
 * they show the inside.
 */
const settled = (answer: YamlAnswer, isKubernetes: boolean): YamlAnswer => {
  const { kyamlFault, kubernetesFault, kubernetes, written, ...rest } = answer
  return {
    ...rest,
    ...(kyamlFault !== undefined && { kyamlFault: 'refused' }),
    ...(isKubernetes && kubernetesFault !== undefined && { kubernetesFault: 'refused' }),
    ...(isKubernetes && kubernetes !== undefined && { kubernetes, written }),
  }
}
