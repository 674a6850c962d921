/** One request of a conversation with an API server, and the headers that conversations share. */
import type { Answer } from './answers.ts'

export interface Exchange {
  readonly title: string
  readonly method: string
  readonly path: string
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Asked again until it is answered so: what controllers do takes a moment. */
  readonly until?: (answer: Answer) => boolean
  /** Called when the answer has begun: a watch sees what happens from then on. */
  readonly begun?: () => void
}

export const merge = { 'content-type': 'application/merge-patch+json' }
export const json = { 'content-type': 'application/json-patch+json' }
export const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
export const apply = { 'content-type': 'application/apply-patch+yaml' }
export const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
export const partialList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' }
export const partial = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }
