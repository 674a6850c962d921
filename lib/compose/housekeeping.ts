import type { TendedHub } from '../hub/create-hub.ts'
import type { ArtifactStore } from '../ports/artifacts.ts'
import type { Clock } from '../ports/clock.ts'
import { collectBuilds } from '../reconcile/kustomization/build/stored-builds.ts'

const buildsKeptMs = 24 * 60 * 60_000

/** Tidies up: what nothing in the hub owns any more, and builds that have not been asked for in a day. */
export const sweep = async (
  hub: Pick<TendedHub, 'sweep'>,
  { artifacts, clock }: { readonly artifacts: ArtifactStore; readonly clock: Pick<Clock, 'now'> },
): Promise<void> => {
  await Promise.all([hub.sweep(), collectBuilds(artifacts, clock.now() - buildsKeptMs)])
}
