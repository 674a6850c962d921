import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { YamlAnswer } from '../../../bed/yaml-oracle.ts'
import { yamlTexts } from '../../../differential/yaml-texts.ts'

/** Texts at random, of which about a half is YAML; the same at every run, until their generators change: then they are recorded anew. */
export const oddTexts = (): readonly string[] => [
  ...new Set(yamlTexts.flatMap(texts => fc.sample(texts, { seed: 1, numRuns: 600 }))),
]

/** An answer in twelve letters: whole, they would take megabytes. */
export const answerDigest = (answer: YamlAnswer): string => {
  // Of several keys that JSON has no name for any is told, as Go's maps have no order.
  const kubernetesFault = answer.kubernetesFault?.replace(/^(unsupported map key).*/s, '$1')
  const told = { ...answer, ...(kubernetesFault !== undefined && { kubernetesFault }) }
  const text = JSON.stringify(told, Object.keys(told).sort())
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
