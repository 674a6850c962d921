import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { findStored, type StorageSettings } from './artifact-storage.ts'
import { finalizeSource } from './garbage.ts'
import type { Source } from './source.ts'

type Varying = 'kind' | 'intervalOf' | 'passTimeoutOf' | 'isVisited' | 'visitOf' | 'reactsTo' | 'leavesAlone'

/** One look at where an object's content comes from. */
export interface SourceContext<T extends Source, Ports, Settings = StorageSettings> {
  readonly object: T
  readonly pass: Pass<T>
  /** The artifact of the last pass, as far as it is still stored. */
  readonly before: Artifact | undefined
  readonly ports: Ports
  readonly settings: Settings
}

/** What sets one kind of source apart from the others. */
export interface SourceKind<T extends Source, Ports, Settings> extends Pick<Reconciler<T>, Varying> {
  /** Whatever keeps the look from an artifact is thrown as a Halt. */
  look(at: SourceContext<T, Ports, Settings>): Promise<Done<T>>
}

/** Keeps an artifact of what an object refers to, as source-controller does; its artifacts go with the object. */
export const sourceReconciler = <T extends Source, Ports extends { readonly artifacts: ArtifactStore }, Settings>(
  { look, ...kind }: SourceKind<T, Ports, Settings>,
  ports: Ports,
  settings: Settings,
): Reconciler<T> => {
  const { artifacts } = ports
  const attempt = async (object: T, pass: Pass<T>): Promise<Done<T>> => {
    await pass.open()
    return look({ object, pass, before: await findStored(object, pass, artifacts), ports, settings })
  }
  return {
    ...kind,
    stage: 'source',
    manager: 'source-controller',
    reconcile: (object, pass) => attempt(object, pass).catch(outcomeOfHalt),
    finalize: (object, pass) => finalizeSource(object, pass, artifacts),
  }
}
