import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { findStored, type StorageSettings } from './artifact-storage.ts'
import { finalizeSource } from './garbage.ts'
import type { Source } from './source.ts'
import { isCheckDue } from './store-checks.ts'

type Varying = 'kind' | 'intervalOf' | 'passTimeoutOf' | 'isVisited' | 'visitOf' | 'reactsTo' | 'leavesAlone'

/** The context of one reconcile of a source. */
export interface SourceContext<T extends Source, Ports, Settings = StorageSettings> {
  readonly object: T
  readonly pass: Pass<T>
  /** The artifact of the last pass, if it is still stored. */
  readonly before: Artifact | undefined
  readonly ports: Ports
  readonly settings: Settings
}

/** The parts of a source reconciler that differ between kinds. */
export interface SourceKind<T extends Source, Ports, Settings> extends Pick<Reconciler<T>, Varying> {
  /** Fetches the artifact if it has changed. Throws a Halt on failure. */
  reconcileSource(at: SourceContext<T, Ports, Settings>): Promise<Done<T>>
}

/** Stores an artifact of an object's content, as source-controller does; deletes its artifacts with the object. */
export const sourceReconciler = <
  T extends Source,
  Ports extends { readonly artifacts: ArtifactStore },
  Settings extends StorageSettings,
>(
  { reconcileSource, ...kind }: SourceKind<T, Ports, Settings>,
  ports: Ports,
  settings: Settings,
): Reconciler<T> => {
  const { artifacts } = ports
  const attempt = async (object: T, pass: Pass<T>): Promise<Done<T>> => {
    await pass.open()
    const when = { now: pass.startedAt, intervalMs: kind.intervalOf(object), everyMs: settings.checkEveryMs ?? 0 }
    const before = await findStored(object, pass, artifacts, isCheckDue(object, when))
    return reconcileSource({ object, pass, before, ports, settings })
  }
  return {
    ...kind,
    stage: 'source',
    manager: 'source-controller',
    reconcile: (object, pass) => attempt(object, pass).catch(outcomeOfHalt),
    finalize: (object, pass) => finalizeSource(object, pass, artifacts),
  }
}
