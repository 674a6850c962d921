import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import { Halt } from '../runtime/halt.ts'

// How a run ends early, with the reasons of image-automation-controller.

type Reason = 'SourceManagerFailed' | 'GitOperationFailed' | 'UpdateFailed'

/** It is tried again. */
export const failed = (reason: Reason, message: string, cause?: unknown): Halt<ImageUpdateAutomation> =>
  new Halt({ type: 'failed', reason, message, cause })

/** It waits for another spec. */
export const stalled = (reason: string, message: string): Halt<ImageUpdateAutomation> =>
  new Halt({ type: 'stalled', reason, message })

/** The repository, its credentials or the signing key can't be used. */
export const unusable = (message: string, cause?: unknown): Halt<ImageUpdateAutomation> =>
  failed('SourceManagerFailed', `failed configuring source manager: ${message}`, cause)
