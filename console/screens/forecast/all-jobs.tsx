// For operators: the executions of all users that are due in the next minutes.
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { timeText } from '../../parts/time-text.ts';
import { useZone } from '../../parts/zone.tsx';

export function AllJobs() {
  const api = useApi();
  const { zone } = useZone();
  const forecast = useLive({
    key: keys.forecast,
    kind: 'statistics',
    read: (signal) => api.forecast({ signal }),
  });
  return (
    <Panel
      title="All users, the next minutes"
      description="Executions in the timetable. The first minute is the current one, which is partly over."
    >
      <Loaded query={forecast} lines={4}>
        {({ items, busiestSecond, truncated }) => {
          const most = Math.max(1, ...items.map(({ due }) => due));
          return (
            <>
              <table className="load-table">
                <thead className="only-spoken">
                  <tr>
                    <th scope="col">Minute</th>
                    <th scope="col">Due</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ at, due }) => {
                    const text = timeText(Date.parse(at), zone);
                    return (
                      <tr key={at}>
                        <th scope="row">
                          <time dateTime={at} title={at}>
                            {text.time.slice(0, 5)} <span className="time-zone">{text.zone}</span>
                          </time>
                        </th>
                        <td>
                          <span className="load-bar" style={{ inlineSize: `${(due / most) * 70}%` }} />
                          {due.toLocaleString('en')}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
              <p className="quiet">
                Busiest second: {busiestSecond.toLocaleString('en')}.
                {truncated &&
                  ' There are more executions than were counted, so later minutes are incomplete.'}
              </p>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
