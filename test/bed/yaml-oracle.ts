import { join } from 'node:path'
import { answersOf } from './line-oracle.ts'

/** What go-yaml, kyaml and sigs.k8s.io/yaml make of a text. */
export interface YamlAnswer {
  /** Its documents as kyaml writes them, and as go-yaml does when left alone, up to the first fault. */
  readonly documents: readonly string[]
  readonly wide: readonly string[]
  readonly fault?: string
  /** The first document as data, the way kyaml reads what it has written, and the way Kubernetes does; also serialized again. */
  readonly kyaml?: string
  readonly kyamlFault?: string
  readonly kubernetes?: string
  readonly kubernetesFault?: string
  readonly written?: string
}

/** The answers of the real libraries. */
export const askYamlOracle = (texts: readonly string[]): Promise<readonly YamlAnswer[]> =>
  answersOf(
    {
      name: 'yaml-oracle',
      source: join(import.meta.dirname, 'yaml-oracle'),
      ldflags: '-s -w',
      takes: 'less than a minute',
    },
    texts,
  )
