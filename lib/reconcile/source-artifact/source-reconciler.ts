import type { Artifact } from '../../kinds/artifact.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { findStored } from './artifact-storage.ts'
import { finalizeSource } from './garbage.ts'
import type { Source } from './source.ts'

type Varying = 'kind' | 'intervalOf' | 'passTimeoutOf' | 'reactsTo' | 'leavesAlone'

/** What sets one kind of source apart from the others. */
export interface SourceKind<T extends Source> extends Pick<Reconciler<T>, Varying> {
  /**
   * One look at where the object's content comes from; `before` is the artifact of the last pass, as far as it is still
   * stored. Whatever keeps it from an artifact is thrown as a Halt.
   */
  look(object: T, pass: Pass<T>, before: Artifact | undefined): Promise<Done<T>>
}

/** Keeps an artifact of what an object refers to, as source-controller does; its artifacts go with the object. */
export const sourceReconciler = <T extends Source>(
  { look, ...kind }: SourceKind<T>,
  artifacts: ArtifactStore,
): Reconciler<T> => {
  const attempt = async (object: T, pass: Pass<T>): Promise<Done<T>> => {
    await pass.open()
    return look(object, pass, await findStored(object, pass, artifacts))
  }
  return {
    ...kind,
    stage: 'source',
    manager: 'source-controller',
    reconcile: (object, pass) => attempt(object, pass).catch(outcomeOfHalt),
    finalize: (object, pass) => finalizeSource(object, pass, artifacts),
  }
}
