import type { AttackClass } from '../attack.ts'
import { apiLoad } from './api-load.ts'
import { authorization } from './authorization.ts'
import { expensiveWork } from './builds.ts'
import { connections } from './connections.ts'
import { crossNamespace } from './cross-namespace.ts'
import { inheritedTargets } from './inherited-targets.ts'
import { localReferences } from './local-references.ts'
import { ownership } from './ownership.ts'
import { pullRequestsClass } from './pull-requests.ts'
import { references } from './references.ts'
import { runners } from './runners.ts'
import { status } from './status.ts'
import { tokens } from './tokens.ts'

/** Every class, in the order in which they are tried. */
export const attackClasses: readonly AttackClass[] = [
  apiLoad,
  authorization,
  expensiveWork,
  connections,
  crossNamespace,
  inheritedTargets,
  localReferences,
  ownership,
  pullRequestsClass,
  references,
  runners,
  status,
  tokens,
]
