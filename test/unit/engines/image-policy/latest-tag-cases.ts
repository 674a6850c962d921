import type { TagFilter, TagPolicy } from '../../../../lib/foundations/kinds/image-policy.ts'

/** A policy, and tags in the order of a scan. */
export interface LatestTagCase {
  readonly policy: TagPolicy
  readonly filterTags?: TagFilter
  readonly tags: readonly string[]
}

const semver = (range: string): TagPolicy => ({ semver: { range } })
const numerical = (order?: 'asc' | 'desc'): TagPolicy => ({ numerical: order ? { order } : {} })
const alphabetical = (order?: 'asc' | 'desc'): TagPolicy => ({ alphabetical: order ? { order } : {} })
const builds = ['main-abc-20', 'main-abc-3', 'dev-20', 'latest']

/** By what each is about; image-reflector-controller has chosen (test/recorders/latest-tags.ts). */
export const latestTagCases: Readonly<Record<string, LatestTagCase>> = {
  'no rule': { policy: {}, tags: ['1.0.0'] },
  'of several rules the first counts': { policy: { ...numerical(), ...semver('*') }, tags: ['1.0.0', '3'] },
  'the newest in a range, whatever the order': {
    policy: semver('1.x'),
    tags: ['1.9.0', '1.10.0', '2.0.0', '1.2.0'],
  },
  'a v stays': { policy: semver('>=1.0.0'), tags: ['v1.2.0', '1.1.0'] },
  'what is no whole version is left out': { policy: semver('*'), tags: ['latest', '3', '2.5', '1.0.0', 'v4'] },
  'no underscore stands for a plus': { policy: semver('*'), tags: ['1.1.0_b1', '1.0.0'] },
  'no prerelease without a range that names one': { policy: semver('>=1.0.0'), tags: ['1.1.0-rc.1', '1.0.0'] },
  'a prerelease with a range that names one': { policy: semver('>=1.0.0-0'), tags: ['1.1.0-rc.1', '1.0.0'] },
  'prereleases by number': { policy: semver('>=1.0.0-0'), tags: ['1.1.0-rc.2', '1.1.0-rc.10'] },
  'of two spellings the first': { policy: semver('*'), tags: ['v1.0.0', '1.0.0'] },
  'of two spellings the first, the other way round': { policy: semver('*'), tags: ['1.0.0', 'v1.0.0'] },
  'a range that can not be read': { policy: semver('>=x.y.z.'), tags: ['1.0.0'] },
  'the last of A to Z': { policy: alphabetical(), tags: ['b', 'c', 'a', 'Z', '9'] },
  'asc is the same': { policy: alphabetical('asc'), tags: ['b', 'c', 'a', 'Z', '9'] },
  'the first with desc': { policy: alphabetical('desc'), tags: ['b', 'c', 'a', 'Z', '9'] },
  'the largest number, not the last text': { policy: numerical(), tags: ['9', '10', '1'] },
  'the smallest with desc': { policy: numerical('desc'), tags: ['9', '10', '1'] },
  'fractions and exponents': { policy: numerical('asc'), tags: ['1e3', '999.5', '0x10p1'] },
  'of equal numbers the later': { policy: numerical('asc'), tags: ['1', '1.0', '0.5'] },
  'of equal numbers the later, with desc': { policy: numerical('desc'), tags: ['1.0', '1', '2'] },
  'more digits than a float64 has': { policy: numerical('asc'), tags: ['9007199254740993', '9007199254740992'] },
  'one that is no number': { policy: numerical(), tags: ['3', 'x', '4'] },
  'too large a number': { policy: numerical(), tags: ['1', '1e999'] },
  'an empty extract is no number': {
    policy: numerical(),
    filterTags: { pattern: '^main-[a-z]+-(?P<n>[0-9]*)', extract: '$missing' },
    tags: builds,
  },
  'an extract is compared, the tag is the result': {
    policy: numerical(),
    filterTags: { pattern: '^main-[a-z]+-(?P<n>[0-9]+)$', extract: '$n' },
    tags: builds,
  },
  'a number instead of a name': {
    policy: numerical('desc'),
    filterTags: { pattern: '^main-[a-z]+-([0-9]+)$', extract: '${1}' },
    tags: builds,
  },
  'a pattern alone': { policy: alphabetical(), filterTags: { pattern: '^main-' }, tags: builds },
  'a pattern matches anywhere': { policy: alphabetical(), filterTags: { pattern: 'v-' }, tags: builds },
  'versions in tags': {
    policy: semver('>=1.0.0'),
    filterTags: { pattern: '^app-(?P<v>.*)$', extract: '$v' },
    tags: ['app-1.0.0', 'app-1.10.0', 'app-1.9.0', '2.0.0'],
  },
  'of equal extracts the later tag': {
    policy: numerical(),
    filterTags: { pattern: '^(?P<n>[0-9]+)-', extract: '$n' },
    tags: ['7-z', '7-a', '7-m', '6-x'],
  },
  'an expression that can not be read': { policy: alphabetical(), filterTags: { pattern: '(' }, tags: builds },
  'no tag': { policy: alphabetical(), tags: [] },
  'no tag that matches': { policy: semver('*'), filterTags: { pattern: '^none$' }, tags: builds },
  'none in the range': { policy: semver('>=9'), tags: ['1.0.0', 'latest'] },
}
