import type { RecordedFile } from './recording.ts'

export interface RecordedHelmRepository {
  readonly charts: readonly Readonly<Record<string, RecordedFile>>[]
  readonly noIndex?: boolean
  readonly rawIndex?: string
}
