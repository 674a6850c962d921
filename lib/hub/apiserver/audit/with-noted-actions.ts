import { userAction } from '../../../foundations/fleet/user-action.ts'
import type { Hub } from '../../store/hub.ts'
import { observedWrites } from '../observed-writes.ts'
import { unchanged, whatWasDone } from './audit-annotations.ts'
import type { AuditTrail } from './audit-trail.ts'

/** The hub, whose writes are noted in the audit log: what the user did by them, or that they changed nothing. */
export const withNotedActions = (hub: Hub, trail: AuditTrail): Hub =>
  observedWrites(hub, async (object, old) => {
    const isSame = old !== undefined && old.metadata.resourceVersion === object.metadata.resourceVersion
    const action = userAction(object, old)
    if (isSame) trail.acted({ [unchanged]: 'true' })
    else if (action) trail.acted({ [whatWasDone]: action.message })
  })
