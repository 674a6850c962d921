import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imagePolicy } from '../../../../lib/foundations/kinds/image-policy.ts'
import {
  exclusionListOf,
  type ImageRepository,
  imageRepository,
  timeoutOf,
} from '../../../../lib/foundations/kinds/image-repository.ts'
import { imageUpdateAutomation } from '../../../../lib/foundations/kinds/image-update-automation.ts'
import type { Kind } from '../../../../lib/foundations/kinds/kind.ts'
import { nameOf } from '../../../../lib/sources/oci/image-name.ts'
import { parseImage } from '../../../../lib/sources/oci/image-reference.ts'

const shownBy = ({ shortNames, versions }: Pick<Kind, 'shortNames' | 'versions'>) => {
  const { columns } = versions[0]!
  return [shortNames, columns.map(({ name, priority = 0 }) => (priority === 0 ? name : `${name} (wide)`))]
}

test('IM-001 IM-020 IM-036: short names and columns', () => {
  assert.deepEqual(shownBy(imageRepository as unknown as Kind), [
    ['imgrepo', 'imagerepo'],
    ['Image', 'Tags', 'Ready', 'Status', 'Last scan (wide)', 'Age'],
  ])
  assert.deepEqual(shownBy(imagePolicy as unknown as Kind), [
    ['imgpol', 'imagepol'],
    ['Image', 'Tag', 'Ready', 'Status', 'Age'],
  ])
  assert.deepEqual(shownBy(imageUpdateAutomation as unknown as Kind), [
    ['iua', 'imgupd', 'imgauto'],
    ['Ready', 'Status', 'Last run (wide)', 'Age'],
  ])
})

test('IM-003: names of images have all their parts', () => {
  const names = ['nginx', 'org/app', 'docker.io/library/alpine', 'ghcr.io/org/app', 'localhost:5000/a/b']
  assert.deepEqual(
    names.map(name => nameOf(parseImage(name))),
    [
      'index.docker.io/library/nginx',
      'index.docker.io/org/app',
      'index.docker.io/library/alpine',
      'ghcr.io/org/app',
      'localhost:5000/a/b',
    ],
  )
})

const repository = (spec: object) => ({ spec: { image: 'a', interval: '5m', ...spec } }) as unknown as ImageRepository

test('IM-004 IM-007: the timeout and the exclusions of a repository that names none', () => {
  assert.equal(timeoutOf(repository({})), 300_000)
  assert.equal(timeoutOf(repository({ timeout: '30s' })), 30_000)
  assert.equal(timeoutOf(repository({ timeout: '10ms' })), 1_000)
  assert.deepEqual(exclusionListOf(repository({ exclusionList: [] })), [String.raw`^.*\.sig$`])
})
