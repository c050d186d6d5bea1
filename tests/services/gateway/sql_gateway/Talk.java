import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;

/** Talks to a SQL gateway by Flink's JDBC driver; the argument is the URL. */
public class Talk {
    public static void main(String[] args) throws Exception {
        Class.forName("org.apache.flink.table.jdbc.FlinkDriver");
        try (Connection connection = DriverManager.getConnection(args[0]);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE nowhere (n BIGINT, word STRING) WITH ('connector' = 'blackhole')");
            show(statement, "SHOW TABLES");
            show(statement, "SELECT n, word, n * 1.5 AS x, DATE '2024-02-29' AS d, TIMESTAMP '2024-02-29 12:34:56.789' AS ts, "
                    + "CAST(NULL AS STRING) AS nothing FROM (VALUES (1, 'to'), (2, 'be')) AS t (n, word)");
            show(statement, "SELECT n FROM (VALUES (1)) AS t (n) WHERE n > 1");
            show(statement, "INSERT INTO nowhere VALUES (1, 'a'), (2, 'b')");
            try (ResultSet rows = statement.executeQuery("SELECT n, word FROM (VALUES (1, 'to')) AS t (n, word)")) {
                while (rows.next()) System.out.println(rows.getInt("n") + " " + rows.getString("word"));
            }
            try {
                statement.execute("SELECT nothing FROM nowhere");
            } catch (Exception error) {
                System.out.println("refused: " + error.getCause().getMessage().contains("line 1, column 8: No column 'nothing'"));
            }
        }
    }

    private static void show(Statement statement, String text) throws SQLException {
        System.out.println(statement.execute(text));
        try (ResultSet rows = statement.getResultSet()) {
            ResultSetMetaData about = rows.getMetaData();
            while (rows.next()) {
                StringBuilder line = new StringBuilder();
                for (int place = 1; place <= about.getColumnCount(); place++) {
                    line.append(place > 1 ? "|" : "").append(about.getColumnName(place)).append('=').append(rows.getObject(place));
                }
                System.out.println(line);
            }
        }
    }
}
