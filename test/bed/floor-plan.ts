/**
 * The floor plan of this project (docs/architecture.md): who may import whom. test/unit/architecture.test.ts holds every
 * import against it, and docs/architecture.md draws it. To add a room, add a row; to let a room see another, name it in its
 * row, and ask first whether the code should rather move.
 */
export interface Room {
  /** Rooms (`foundations/kinds`) or whole houses (`engines`) whose files it may import. What those see is not passed on. */
  readonly sees: readonly string[]
  /** Data in, data out: no module that reaches files, networks, processes or databases. */
  readonly pure?: true
}

/** From the ground up: a house may import from those before it, never from one after it. */
export const houses = [
  'foundations',
  'engines',
  'platform',
  'clusters',
  'sources',
  'hub',
  'signals',
  'reconcile',
  'compose',
  'cli',
] as const

const kindsAndRules = ['foundations/kinds', 'foundations/rules']
const below = ['foundations', 'engines', 'platform/ports']

export const rooms: Readonly<Record<string, Room>> = {
  'foundations/kinds': { sees: ['foundations/go', 'foundations/calendar'], pure: true },
  'foundations/rules': { sees: ['foundations/kinds', 'foundations/go', 'foundations/calendar'], pure: true },
  'foundations/fleet': { sees: ['foundations/kinds', 'foundations/rules'], pure: true },
  'foundations/rollout': { sees: ['foundations/kinds'], pure: true },
  'foundations/calendar': { sees: [], pure: true },
  'foundations/go': { sees: [], pure: true },
  'foundations/budget': { sees: [], pure: true },
  'foundations/der': { sees: [], pure: true },
  'foundations/ssh': { sees: [], pure: true },

  'engines/yaml': { sees: ['foundations/budget', 'foundations/go'], pure: true },
  'engines/semver': { sees: ['foundations/go'], pure: true },
  'engines/image-policy': {
    sees: [...kindsAndRules, 'foundations/go', 'engines/semver', 'engines/yaml', 'engines/template'],
    pure: true,
  },
  'engines/ignore': { sees: [], pure: true },
  'engines/merge': { sees: [...kindsAndRules, 'foundations/go'], pure: true },
  'engines/kstatus': { sees: kindsAndRules, pure: true },
  'engines/substitute': { sees: [...kindsAndRules, 'foundations/budget', 'engines/yaml'], pure: true },
  'engines/kustomize': {
    sees: [...kindsAndRules, 'foundations/budget', 'foundations/go', 'engines/yaml', 'engines/merge'],
    pure: true,
  },
  'engines/template': { sees: ['foundations/go', 'foundations/der', 'engines/yaml'], pure: true },
  'engines/helm': {
    sees: [
      ...kindsAndRules,
      'foundations/budget',
      'foundations/go',
      'engines/yaml',
      'engines/semver',
      'engines/ignore',
      'engines/template',
    ],
    pure: true,
  },
  'engines/artifact-generator': {
    sees: [...kindsAndRules, 'foundations/go', 'engines/ignore', 'engines/template', 'engines/helm'],
    pure: true,
  },
  'engines/resource-set': {
    sees: [...kindsAndRules, 'foundations/budget', 'foundations/go', 'engines/yaml', 'engines/template'],
    pure: true,
  },
  'engines/sops': { sees: ['foundations/go', 'foundations/ssh', 'foundations/budget', 'engines/yaml'], pure: true },
  'engines/policy': { sees: [...kindsAndRules, 'foundations/budget', 'engines/cel'], pure: true },
  'engines/cel': { sees: ['foundations/kinds', 'foundations/go', 'foundations/budget'], pure: true },

  'platform/ports': { sees: kindsAndRules, pure: true },
  'platform/http': { sees: ['foundations/rules', 'foundations/budget'] },
  'platform/cloud': { sees: [...kindsAndRules, 'foundations/budget'] },
  'platform/adapters': { sees: [...kindsAndRules, 'foundations/budget', 'engines/kustomize', 'platform/ports'] },

  'clusters/client': { sees: [...below, 'platform/cloud', 'platform/http'] },
  'clusters/apply': { sees: [...below, 'clusters/client'], pure: true },
  'clusters/helm-release': { sees: [...below, 'clusters/client', 'clusters/apply'], pure: true },

  sources: { sees: [...below, 'platform/cloud', 'platform/http'] },

  'hub/store': { sees: below, pure: true },
  'hub/references': { sees: [...below, 'hub/store', 'clusters/client'], pure: true },
  'hub/authorize': { sees: [...below, 'hub/store'], pure: true },
  'hub/records': { sees: [...below, 'hub/store'], pure: true },
  'hub/runs': { sees: [...below, 'hub/store', 'hub/records'], pure: true },
  'hub/deliveries': { sees: [...below, 'hub/store', 'hub/records'], pure: true },
  'hub/apiserver': { sees: [...below, 'hub/store', 'hub/records', 'hub/deliveries', 'hub/authorize'] },
  'hub/live': { sees: [...below, 'clusters/client', 'hub/store', 'hub/apiserver'] },
  'hub/runners': {
    sees: [...below, 'clusters/client', 'hub/store', 'hub/references', 'hub/runs', 'hub/apiserver', 'hub/live'],
  },
  'hub/console': { sees: ['platform/ports', 'hub/apiserver'], pure: true },

  'hub/mcp': { sees: ['platform/ports', 'hub/apiserver', 'hub/console', 'hub-client', 'mcp'], pure: true },

  'hub-client': { sees: [...kindsAndRules, 'foundations/fleet', 'foundations/rollout'], pure: true },
  mcp: { sees: [...kindsAndRules, 'foundations/fleet', 'foundations/rollout', 'hub-client'], pure: true },
  console: {
    sees: [...kindsAndRules, 'foundations/fleet', 'foundations/rollout', 'engines/yaml', 'hub-client'],
    pure: true,
  },

  'signals/webhook': {
    sees: [...below, 'clusters/client', 'platform/http', 'hub/store', 'hub/references', 'hub/deliveries'],
  },
  'signals/notify': { sees: [...below, 'platform/cloud', 'platform/http', 'hub/store', 'hub/references'] },
  'signals/metrics': { sees: [...below, 'hub/store'], pure: true },

  reconcile: {
    sees: [
      ...below,
      'platform/cloud',
      'platform/http',
      'clusters',
      'sources',
      'hub/store',
      'hub/runs',
      'hub/references',
      'hub/runners',
      'signals/notify',
      'signals/webhook',
    ],
    pure: true,
  },
  compose: {
    sees: ['foundations', 'engines', 'platform', 'clusters', 'sources', 'hub', 'signals', 'reconcile', 'mcp'],
  },
  cli: {
    sees: [
      ...below,
      'clusters',
      'sources',
      'hub/store',
      'hub/references',
      'hub/apiserver',
      'hub/runners',
      'signals/notify',
      'reconcile',
      'compose',
      'hub-client',
      'mcp',
    ],
  },

  functions: { sees: [...below, 'hub/store', 'hub/apiserver', 'signals/notify', 'reconcile', 'compose', 'events'] },
  infra: { sees: ['compose', 'platform/ports'] },
  events: { sees: ['foundations/kinds', 'platform/ports'] },
}

/** The room of a file, by its path from the root: `lib/engines/yaml/parse.ts` is in `engines/yaml`, `infra/app.ts` in `infra`. */
export const roomOf = (path: string): string => {
  const [first = '', house = '', room = ''] = path.split('/')
  if (first !== 'lib') return first
  return house in rooms ? house : `${house}/${room}`
}

/** The house of a room: `engines` for `engines/yaml`; a room without a house is its own. */
export const houseOf = (room: string): string => room.split('/')[0]!

/** Whether files of a room may import from another. */
export const mayImport = (room: string, other: string): boolean =>
  room === other || (rooms[room]?.sees ?? []).some(seen => seen === other || seen === houseOf(other))
