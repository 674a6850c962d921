import { type Receiver, receiver } from '../../foundations/kinds/receiver.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for Receivers, and lists the kinds they depend on. */
export const receiverAddress: AddressOf<Receiver> = {
  kind: receiver,
  stage: 'notify',
  reactsTo: ['Secret'],
  followsSecrets: true,
}
