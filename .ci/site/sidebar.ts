/** The pages of the site by what a reader wants of them (diataxis.fr). Every page of docs has its place here, and one only. */
export interface Section {
  readonly title: string
  /** Paths below docs, without `.md`; `index` is the README. */
  readonly pages: readonly string[]
}

export const sidebar: readonly Section[] = [
  { title: 'Start', pages: ['index', 'getting-started', 'from-flux', 'examples/index'] },
  {
    title: 'How-to guides',
    pages: [
      'clusters',
      'fleets',
      'tenants',
      'sources',
      'secrets',
      'helmreleases',
      'resourcesets',
      'images',
      'webhooks',
      'alerts',
      'rollouts',
      'plans',
      'pull-requests',
      'guard',
      'undo',
      'policies',
      'people',
      'console',
      'agents',
      'questions',
      'runs',
      'receipts',
      'embedded',
      'operations',
      'regions',
    ],
  },
  {
    title: 'Tools',
    pages: ['kustomize', 'helm', 'libraries'],
  },
  {
    title: 'Reference',
    pages: [
      'reference/kinds',
      'reference/commands',
      'hub-api',
      'references',
      'compatibility',
      'checklist',
      'glossary',
      'CHANGELOG',
    ],
  },
  { title: 'Explanation', pages: ['architecture', 'security', 'performance', 'CONTRIBUTING'] },
]

/** Folders whose pages one of these lists; that of the decisions is a section of its own. */
export const folders = ['decisions', 'examples', 'checklist', 'reference/kinds', 'reference/commands'] as const
