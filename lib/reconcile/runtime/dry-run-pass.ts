import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Pass, SharedReads } from './reconciler.ts'

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
