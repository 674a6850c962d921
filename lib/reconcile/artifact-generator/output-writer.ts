import type { ExternalArtifact } from '../../foundations/kinds/external-artifact.ts'
import { type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'

export const controllerName = 'source-watcher'

/** Writes the ExternalArtifacts of generators, as their field manager. */
export interface OutputWriter {
  /** Creates or changes the object without its status; returns it as it is then. */
  apply(output: ExternalArtifact): Promise<ExternalArtifact>
  applyStatus(output: ExternalArtifact): Promise<void>
  /** Deletes the object, unless another one has its name by now. */
  delete(output: ObjectRef, uid: string): Promise<void>
}

/**
 * Writes with server-side apply, as source-watcher does. Errors begin with what failed, in its words; deletion of what
 * is missing is none.
 */
export const outputWriter = (hub: Pick<Hub, 'patch' | 'delete'>): OutputWriter => {
  const options = { fieldManager: controllerName, force: true }
  const failed = (what: string) => (error: unknown) => {
    throw new Error(`failed to ${what}: ${errorMessage(error)}`, { cause: error })
  }
  return {
    apply: object =>
      hub
        .patch<ExternalArtifact>(refOf(object), { type: 'apply', object }, { ...options, isBounded: true })
        .catch(failed('apply ExternalArtifact')),
    async applyStatus(object) {
      await hub
        .patch(refOf(object), { type: 'apply', object }, { ...options, subresource: 'status' })
        .catch(failed('patch ExternalArtifact status'))
    },
    async delete(ref, uid) {
      await hub.delete(ref, { uid }).catch((error: unknown) => {
        const isGone = error instanceof ApiError && (error.reason === 'NotFound' || error.reason === 'Conflict')
        if (!isGone) throw error
      })
    },
  }
}
