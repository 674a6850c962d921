import { type RegistryPush, reconcileFollowers } from '../../signals/webhook/registry-push.ts'
import type { ComposedHub } from '../hub.ts'
import type { Ports } from '../platform.ts'

/** Asks those to reconcile who follow what was pushed to a registry; resolves to how many. */
export const composeRegistryPush =
  (ports: Ports, { hub }: Pick<ComposedHub, 'hub'>): ((push: RegistryPush) => Promise<number>) =>
  push =>
    reconcileFollowers({ ...ports, hub }, push)
