import { type BucketChange, reconcileBuckets } from '../../signals/webhook/bucket-change.ts'
import { type RegistryPush, reconcileFollowers } from '../../signals/webhook/registry-push.ts'
import { type RepositoryPush, reconcileRepositories } from '../../signals/webhook/repository-push.ts'
import type { ComposedHub } from '../hub.ts'
import type { Ports } from '../platform.ts'

/** A change that AWS itself reports, without a Receiver. */
export type SourceEvent =
  | ({ readonly type: 'registry' } & RegistryPush)
  | ({ readonly type: 'git' } & RepositoryPush)
  | ({ readonly type: 'bucket' } & BucketChange)

/** Enqueues the sources that an event affects; resolves to their number. */
export const composeSourceEvents = (
  ports: Ports,
  { hub }: Pick<ComposedHub, 'hub'>,
): ((event: SourceEvent) => Promise<number>) => {
  const all = { ...ports, hub }
  return async event => {
    switch (event.type) {
      case 'registry':
        return reconcileFollowers(all, event)
      case 'git':
        return reconcileRepositories(all, event)
      case 'bucket':
        return reconcileBuckets(all, event)
    }
  }
}
