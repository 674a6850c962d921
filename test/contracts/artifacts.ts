import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type ArtifactStore, contentFolder } from '../../lib/platform/ports/artifacts.ts'

export interface ArtifactWorld {
  readonly artifacts: ArtifactStore
  /** The same data in a new process. */
  reopen(): Promise<ArtifactWorld>
  /** Makes what is stored look this much older. */
  age(ms: number): Promise<void>
  close(): Promise<void>
}

/** What every artifact store must do. */
export function describeArtifactStore(name: string, open: () => Promise<ArtifactWorld>): void {
  const within = (story: (world: ArtifactWorld) => Promise<void>) => async () => {
    const world = await open()
    try {
      await story(world)
    } finally {
      await world.close()
    }
  }
  const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

  describe(`artifact store: ${name}`, () => {
    test(
      'reports whether a blob exists and matches its digest',
      within(async ({ artifacts }) => {
        const content = Buffer.from('content')
        const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
        await artifacts.put('a/b', content)
        assert.equal(await artifacts.check('a/b', digest), 'sound')
        assert.equal(await artifacts.check('a/c', digest), 'missing')
      }),
    )

    test(
      'gives back what was put, also in another process',
      within(async world => {
        const large = randomBytes(3 << 20)
        await world.artifacts.put('sha256/large', large)
        await world.artifacts.put('build/empty', new Uint8Array())
        const { artifacts } = await world.reopen()
        assert.ok(large.equals((await artifacts.get('sha256/large'))!))
        assert.equal((await artifacts.get('build/empty'))?.length, 0)
        assert.deepEqual([await artifacts.has('sha256/large'), await artifacts.has('sha256/other')], [true, false])
        assert.equal(await artifacts.get('sha256/other'), undefined)
        assert.equal(await artifacts.get('nowhere/at/all'), undefined)
      }),
    )

    test(
      'takes a content piece by piece, also a second time',
      within(async ({ artifacts }) => {
        const parts = Array.from({ length: 9 }, () => randomBytes(1 << 20))
        const content = { length: 9 << 20, pieces: () => parts }
        await artifacts.put('build/pieces', content)
        await artifacts.put('build/pieces', content)
        assert.ok(Buffer.concat(parts).equals((await artifacts.get('build/pieces'))!))
        const [found] = await Array.fromAsync(artifacts.list('build/pieces'))
        assert.equal(found!.size, 9 << 20)
      }),
    )

    test(
      'keeps the first content of a name, and counts it as stored just now',
      within(async ({ artifacts, age }) => {
        await artifacts.put('build/a', Buffer.from('first'))
        await age(3_600_000)
        const [old] = await Array.fromAsync(artifacts.list('build/'))
        await artifacts.put('build/a', Buffer.from('second'))
        const [fresh] = await Array.fromAsync(artifacts.list('build/'))
        assert.equal(text(await artifacts.get('build/a')), 'first')
        assert.ok(fresh!.storedAt - old!.storedAt > 3_000_000, `${old!.storedAt} -> ${fresh!.storedAt}`)
      }),
    )

    test(
      'shows concurrent writers and readers of a name one whole content',
      within(async ({ artifacts }) => {
        const contents = Array.from({ length: 30 }, (_, i) => Buffer.alloc(100_000, i))
        let done = false
        const seen = new Set<string>()
        const reading = (async () => {
          while (!done) {
            const content = await artifacts.get('build/contested')
            if (content) seen.add(Buffer.from(content).toString('hex'))
            await new Promise(setImmediate)
          }
        })()
        await Promise.all(contents.map(content => artifacts.put('build/contested', content)))
        done = true
        await reading
        const whole = new Set(contents.map(content => content.toString('hex')))
        for (const content of seen) assert.ok(whole.has(content), 'a torn content was read')
        assert.ok(whole.has(Buffer.from((await artifacts.get('build/contested'))!).toString('hex')))
        assert.equal((await Array.fromAsync(artifacts.list(''))).length, 1)
      }),
    )

    test(
      'deletes, once or twice, and accepts the name again',
      within(async ({ artifacts }) => {
        await artifacts.put('build/a', Buffer.from('1'))
        await artifacts.delete('build/a')
        await artifacts.delete('build/a')
        assert.equal(await artifacts.has('build/a'), false)
        await artifacts.put('build/a', Buffer.from('2'))
        assert.equal(text(await artifacts.get('build/a')), '2')
      }),
    )

    test(
      'lists names, sizes and times below a prefix',
      within(async ({ artifacts }) => {
        for (const name of ['build/a', 'build/ab', 'gitrepository/ns/name/x.tar.gz', 'buildings/a'])
          await artifacts.put(name, Buffer.from(name))
        const names = async (prefix: string) =>
          (await Array.fromAsync(artifacts.list(prefix))).map(({ name }) => name).sort()
        assert.deepEqual(await names('build/'), ['build/a', 'build/ab'])
        assert.deepEqual(await names('build/ab'), ['build/ab'])
        assert.deepEqual(await names('gitrepository/ns/'), ['gitrepository/ns/name/x.tar.gz'])
        assert.deepEqual(await names('none/'), [])
        assert.deepEqual(await names(''), ['build/a', 'build/ab', 'buildings/a', 'gitrepository/ns/name/x.tar.gz'])
        const [found] = await Array.fromAsync(artifacts.list('build/ab'))
        assert.equal(found!.size, 8)
        assert.ok(Number.isInteger(found!.storedAt))
      }),
    )

    test(
      'stores a content once for all artifacts of a digest, and reads it under no name that has not claimed it',
      within(async ({ artifacts }) => {
        const content = Buffer.from('the files of a repository')
        const nameIn = (folder: string, of = content) =>
          `${folder}/${createHash('sha256').update(of).digest('hex')}.tar.gz`
        const [one, two, three] = ['gitrepository/a/app', 'ocirepository/b/app', 'gitrepository/c/app'].map(folder =>
          nameIn(folder),
        ) as [string, string, string]
        await artifacts.put(one, content)
        await artifacts.put(two, content)
        assert.deepEqual([text(await artifacts.get(one)), text(await artifacts.get(two))], [`${content}`, `${content}`])
        assert.equal((await Array.fromAsync(artifacts.list(contentFolder))).length, 1)
        const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
        const seen = async () => [
          await artifacts.get(three),
          await artifacts.has(three),
          await artifacts.check(three, digest),
        ]
        assert.deepEqual(await seen(), [undefined, false, 'missing'])
        assert.equal(await artifacts.claim(three), true)
        assert.equal(text(await artifacts.get(three)), `${content}`)
        assert.equal(await artifacts.check(three, digest), 'sound')
        const unknown = nameIn('gitrepository/c/app', Buffer.from('what nobody stored'))
        assert.equal(await artifacts.claim(unknown), false)
        assert.equal(await artifacts.has(unknown), false)
        const names = (await Array.fromAsync(artifacts.list('gitrepository/'))).map(({ name }) => name)
        assert.deepEqual(names.sort(), [one, three].sort())
        await artifacts.delete(three)
        assert.deepEqual(await seen(), [undefined, false, 'missing'])
        assert.equal(text(await artifacts.get(one)), `${content}`)
      }),
    )

    test(
      'refuses names that could lead anywhere else',
      within(async ({ artifacts }) => {
        const names = [
          '',
          '/',
          '/etc/passwd',
          '..',
          '../x',
          'a/../../x',
          'a//b',
          'a/',
          './a',
          'a/.hidden',
          'a\\b',
          'a\0b',
          'ä',
          'a b',
        ]
        for (const name of names) {
          await assert.rejects(async () => artifacts.put(name, Buffer.from('x')), name)
          await assert.rejects(async () => artifacts.get(name), name)
          await assert.rejects(async () => artifacts.delete(name), name)
        }
        assert.deepEqual(await Array.fromAsync(artifacts.list('')), [])
      }),
    )

    test(
      'agrees with a map after any sequence of puts and deletes',
      within(async ({ artifacts }) => {
        const model = new Map<string, string>()
        const step = fc.record({
          name: fc.constantFrom('a/1', 'a/2', 'b/c/1', 'top'),
          content: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
        })
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 8 }), async steps => {
            for (const { name, content } of steps) {
              if (content === undefined) {
                await artifacts.delete(name)
                model.delete(name)
              } else {
                await artifacts.put(name, Buffer.from(content))
                if (!model.has(name)) model.set(name, content)
              }
            }
            const found = await Array.fromAsync(
              artifacts.list(''),
              async ({ name }) => [name, text(await artifacts.get(name))] as const,
            )
            assert.deepEqual(new Map(found), model)
          }),
          { numRuns: 25 },
        )
      }),
    )
  })
}
