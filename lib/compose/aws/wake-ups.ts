import { once } from '../../foundations/rules/once.ts'
import type { WakeUps } from '../../platform/ports/wake-ups.ts'
import type { AwsHub } from './aws-hub.ts'

/** The queues at which runners of a hub wait, with the identity of this function. Loaded with the first runner: few hubs have any. */
export const wakeUpsOf = ({ cloud, ports: { clock, log }, environment, identity }: AwsHub): WakeUps => {
  const { hubName, region, queues } = environment
  const loaded = once(async () => {
    const { runnerQueues } = await import('./runner-queues.ts')
    return runnerQueues({ cloud, clock, log }, { hubName, region, besides: queues.apply, identity })
  })
  return {
    open: async place => (await loaded()).open(place),
    send: async place => (await loaded()).send(place),
    keepOnly: async places => (await loaded()).keepOnly(places),
  }
}
