import { type FluxInstance, fluxInstance } from '../../foundations/kinds/flux-instance.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for FluxInstances. On AWS the function that applies Kustomizations has kustomize, which applies their patches. */
export const fluxInstanceAddress: AddressOf<FluxInstance> = { kind: fluxInstance, stage: 'apply' }
