import { manifest, stories } from './stories.ts'
import type { Step } from './story.ts'

/** A story of a controller, or hub, with feature gates: `Name=false`, separated by commas. */
interface GateStory {
  readonly gates: string
  readonly steps: readonly Step[]
}

const commit = { author: { name: 'Fluxbot', email: 'flux@example.com' } }
const one = { 'app.yaml': manifest('1.0.0') }
const begun = { commits: [{ files: one }], source: {}, policies: { app: '1.1.0' } } satisfies Step
const push = { branch: 'auto' }
const intoBranch = { ...begun, automation: { git: { commit, push } } }
const intoOther = { ...push, refspec: 'refs/heads/auto:refs/heads/other' }
const other = { branch: 'other', files: { 'other.txt': 'other' } }
const refspecOfMain = { refspec: 'refs/heads/main:refs/heads/copy' }

/** The target of the refspec is at a commit that is older than what is checked out. */
const olderTarget: readonly Step[] = [
  { ...begun, automation: { git: { commit, push: refspecOfMain } } },
  { commits: [{ files: { 'more.yaml': manifest('1.1.0', 'more') } }], policies: { app: '1.2.0' } },
]

const gateStories: Readonly<Record<string, GateStory>> = {
  'older target in a shallow clone': { gates: '', steps: olderTarget },
  'older target in a whole clone': { gates: 'GitShallowClone=false', steps: olderTarget },
  'push branch over a tag': {
    gates: '',
    steps: [
      {
        ...begun,
        commits: [{ files: one, tag: 'v1.0.0' }, { files: { 'more.txt': 'more' } }],
        automation: { git: { commit, checkout: { ref: { tag: 'v1.0.0' } }, push } },
      },
      { policies: { app: '1.2.0' } },
      { automation: { git: { commit, checkout: { ref: { name: 'refs/tags/v1.0.0' } }, push } } },
      { policies: { app: '1.3.0' } },
    ],
  },
  'push branch that each run replaces': {
    gates: 'GitAllBranchReferences=false',
    steps: [
      intoBranch,
      { policies: { app: '1.2.0' } },
      { commits: [{ files: { 'more.yaml': manifest('1.0.0', 'more') } }], request: true },
      { commits: [{ branch: 'auto', files: { 'mine.txt': 'mine' } }], policies: { app: '1.3.0' } },
    ],
  },
  'push branch over a range of versions, without branches': {
    gates: 'GitAllBranchReferences=false',
    steps: [
      {
        ...begun,
        commits: [{ files: one, tag: 'v1.0.0' }],
        automation: { git: { commit, checkout: { ref: { semver: '>=1.0.0' } }, push } },
      },
      { policies: { app: '1.2.0' } },
    ],
  },
  'push branch without force': {
    gates: 'GitForcePushBranch=false',
    steps: [
      { ...intoBranch, commits: [{ files: one }, other], automation: { git: { commit, push: intoOther } } },
      { automation: { git: { commit, push: { ...intoOther, refspec: `+${intoOther.refspec}` } } } },
      { policies: { app: '1.2.0' } },
    ],
  },
  'push branch that may not be replaced': {
    gates: 'GitAllBranchReferences=false,GitForcePushBranch=false',
    steps: [intoBranch, { policies: { app: '1.2.0' } }],
  },
  'push branch that may not be replaced, in a whole clone': {
    gates: 'GitAllBranchReferences=false,GitForcePushBranch=false,GitShallowClone=false',
    steps: [intoBranch, { policies: { app: '1.2.0' } }],
  },
  ...Object.fromEntries(
    Object.entries({ folder: './sub', file: 'sub/app.yaml', root: '.', nowhere: 'none' }).map(([what, path]) => [
      `sparse checkout of ${what}`,
      {
        gates: 'GitSparseCheckout=true',
        steps: [
          {
            ...begun,
            commits: [
              { files: { ...one, 'sub/app.yaml': manifest('1.0.0', 'sub'), 'subway.yaml': manifest('1.0.0') } },
            ],
            automation: { git: { commit, push }, update: { strategy: 'Setters', path } },
          },
          { policies: { app: '1.2.0' } },
        ],
      },
    ]),
  ),
}

export const allStories: readonly (GateStory & { readonly title: string })[] = [
  ...Object.entries(stories).map(([title, steps]) => ({ title, steps, gates: '' })),
  ...Object.entries(gateStories).map(([title, story]) => ({ title, ...story })),
]
