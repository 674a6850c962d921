import { type Receiver, receiver } from '../../foundations/kinds/receiver.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Where messages for Receivers go, and whose news they wait for. */
export const receiverAddress: AddressOf<Receiver> = {
  kind: receiver,
  stage: 'notify',
  reactsTo: ['Secret'],
  followsSecrets: true,
}
