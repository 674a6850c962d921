import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { loadDetectedChart, loadLocalChart } from '../../../lib/cli/helm/local-chart.ts'
import { writeTar } from '../../../lib/sources/artifact/tar-writer.ts'
import { loadChart } from '../../../lib/sources/helm/chart.ts'
import { filesInArchive } from '../../../lib/sources/helm/chart-archive.ts'
import { InvalidChart } from '../../../lib/sources/helm/invalid-chart.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const chartYaml = 'apiVersion: v2\nname: web\nversion: 1.0.0\n'

const tarOf = (files: readonly (readonly [path: string, text: string])[]): Buffer =>
  Buffer.concat([...writeTar(files.map(([name, text]) => ({ name, mode: 0o644, content: Buffer.from(text) })))])

const namesIn = async (path: string): Promise<readonly string[]> =>
  (await filesInArchive(gzipSync(tarOf([[path, '']])))).map(({ name }) => name)

test('paths in archives are taken and refused as by Helm', async () => {
  assert.deepEqual(await namesIn('web/a/../b'), ['b'])
  assert.deepEqual(await namesIn('web\\templates\\a.yaml'), ['templates/a.yaml'])
  assert.deepEqual(await namesIn('web/C:\\values.yaml'), ['values.yaml'])
  const refused = {
    'web/../../x': 'chart illegally references parent directory',
    'web/..x': 'chart illegally references parent directory',
    'web//x': 'chart illegally contains absolute paths',
    web: 'chart illegally contains content outside the base directory: "web"',
    'web/c:/x': 'chart contains illegally named files',
    'Chart.yaml/x': 'chart yaml not in base directory',
  }
  for (const [path, message] of Object.entries(refused)) await assert.rejects(namesIn(path), { message }, path)
})

test('of a file that an archive holds twice the last one counts, and all must be sound', async () => {
  const load = async (...files: readonly (readonly [string, string])[]) =>
    loadChart(await filesInArchive(gzipSync(tarOf([['web/Chart.yaml', chartYaml], ...files]))))
  const chart = await load(
    ['web/values.yaml', 'a: 1\n'],
    ['web/values.yaml', 'a: 2\n'],
    ['web/Chart.yaml', 'version: 2.0.0\n'],
  )
  assert.equal(Buffer.from(chart.values!.file).toString(), 'a: 2\n')
  assert.deepEqual([chart.metadata.name, chart.metadata.version], ['web', '2.0.0'])
  await assert.rejects(
    load(['web/values.yaml', 'a: ['], ['web/values.yaml', 'a: 2\n']),
    /^InvalidChart: cannot load values.yaml/,
  )
})

test("faults of an archive are reported in Go's wording", async () => {
  const sound = gzipSync(tarOf([['web/Chart.yaml', chartYaml]]))
  const damaged = Buffer.from(sound)
  damaged[damaged.length - 6]! ^= 1
  await assert.rejects(filesInArchive(damaged), { message: 'gzip: invalid checksum' })
  await assert.rejects(filesInArchive(sound.subarray(0, -20)), { message: 'unexpected EOF' })
  await assert.rejects(filesInArchive(Buffer.from('no archive')), { message: 'gzip: invalid header' })
  const tar = tarOf([['web/Chart.yaml', chartYaml]])
  tar[tar.length - 1] = 1
  await assert.rejects(filesInArchive(gzipSync(tar)), { message: 'the chart archive is damaged' })
})

test('without Chart.yaml, requirements.yaml may hold what it says', async () => {
  const load = async (...files: readonly (readonly [string, string])[]) =>
    loadChart(await filesInArchive(gzipSync(tarOf(files))))
  const chart = await load(['web/requirements.yaml', chartYaml])
  assert.deepEqual(
    [chart.metadata.apiVersion, chart.metadata.name, chart.metadata.version, chart.files.length],
    ['v2', 'web', '1.0.0', 0],
  )
  const message = 'validation: chart.metadata.apiVersion is required'
  await assert.rejects(load(['web/requirements.yaml', 'name: web\nversion: 1.0.0\n']), { message })
  await assert.rejects(load(['web/requirements.lock', '']), { message })
  await assert.rejects(load(['web/values.yaml', '']), { message: 'Chart.yaml file is missing' })
})

test('the commands that render and package refuse what has no Chart.yaml, as helm does', async () => {
  const folder = tempDir({ 'web/requirements.yaml': chartYaml })
  const file = join(folder, 'web/Chart.yaml')
  await assert.rejects(loadDetectedChart(join(folder, 'web')), {
    message: `unable to detect chart at ${file}: open ${file}: no such file or directory`,
  })
  writeFileSync(join(folder, 'web.tgz'), gzipSync(tarOf([['web/requirements.yaml', chartYaml]])))
  await assert.rejects(loadDetectedChart(join(folder, 'web.tgz')), {
    message: 'unable to detect chart version, no Chart.yaml found',
  })
  assert.equal((await loadLocalChart(join(folder, 'web'))).metadata.name, 'web')
})

test('a header of zeros with a checksum is no end of an archive', async () => {
  const tar = tarOf([['web/Chart.yaml', chartYaml]])
  tar[tar.length - 1024 + 151] = 0xf7
  await assert.rejects(filesInArchive(gzipSync(tar)), InvalidChart)
})
