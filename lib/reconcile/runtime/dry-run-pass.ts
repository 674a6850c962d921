import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Pass, SharedReads } from './reconciler.ts'
import { unsharedReads } from './shared-reads.ts'

type Given = Pick<Pass<KubernetesObject>, 'signal' | 'startedAt' | 'confine'> & { readonly dryRun: SharedReads }

/** A pass that may not write, and of which nothing stays: no status, no Event, no Run. */
export const dryRunPass = <T extends KubernetesObject>({ signal, startedAt, confine, dryRun }: Given): Pass<T> => ({
  ...{ signal, startedAt, confine, dryRun },
  open: async () => {},
  progress: async () => {},
  update: async () => {},
  event: () => {},
  note: () => {},
})

/** A dry run of one unit by itself: it shares no reads with others, and nothing but its own identity confines it. `startedAt` is in milliseconds since the epoch. */
export const dryRunAlone = <T extends KubernetesObject>(given: Pick<Given, 'signal' | 'startedAt'>): Pass<T> =>
  dryRunPass({ ...given, dryRun: unsharedReads(given.signal), confine: async cluster => cluster })
