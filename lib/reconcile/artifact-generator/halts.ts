import { Halt } from '../runtime/halt.ts'

/** Sources that can't be read now. */
export const sourcesFailed = (message: string, afterMs: number, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason: 'SourceFetchFailed', message, afterMs, cause })

/** An artifact that can't be made of these sources, or not be published now. */
export const failed = (reason: 'BuildFailed' | 'ReconciliationFailed', message: string, cause?: unknown): Halt<never> =>
  new Halt({ type: 'failed', reason, message, cause })

/** What only another spec, or another revision of a source, mends. */
export const stalled = (reason: 'AccessDenied' | 'ValidationFailed' | 'BuildFailed', message: string): Halt<never> =>
  new Halt({ type: 'stalled', reason, message })
