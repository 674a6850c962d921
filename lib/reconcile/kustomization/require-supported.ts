import type { Kustomization } from '../../kinds/kustomization.ts'
import { Halt } from '../runtime/halt.ts'

/** Halts when the spec asks for something that would be left out silently otherwise. */
export const requireSupported = ({ spec }: Kustomization): void => {
  const unsupported = [spec.decryption && 'spec.decryption'].filter(field => typeof field === 'string')
  if (unsupported.length === 0) return
  const message = `${unsupported.join(', ')}: not supported by this version of Keelson; nothing was applied`
  throw new Halt({ type: 'stalled', reason: 'NotSupported', message })
}
