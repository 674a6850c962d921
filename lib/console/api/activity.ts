/** Returns how long ago a person did something with the page, in milliseconds. */
export const followActivity = (page: Document): (() => number) => {
  let last = performance.now()
  const note = () => {
    last = performance.now()
  }
  for (const type of ['pointerdown', 'keydown', 'scroll', 'visibilitychange'])
    page.addEventListener(type, note, { capture: true, passive: true })
  return () => performance.now() - last
}
