import { useEffect, useState } from 'preact/hooks'
import { fullTime, span, timeText } from '../model/phrases.ts'

/** The time, which goes on while a page is open. */
export const useNow = (everyMs = 10_000): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** `23 min ago`; the exact time on hover. */
export const Ago = ({ time }: { readonly time: string | undefined }) => {
  const now = useNow()
  if (!time) return null
  return (
    <time dateTime={time} title={fullTime(time)}>
      {timeText(time, now)}
    </time>
  )
}

/** `23 min`: how long something has been so. */
export const Since = ({ time }: { readonly time: string | undefined }) => {
  const now = useNow()
  if (!time) return null
  return (
    <time dateTime={time} title={`since ${fullTime(time)}`}>
      {span(now - Date.parse(time))}
    </time>
  )
}
